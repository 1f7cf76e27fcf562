// What people choose first when a rule asks for capitals, digits and a special character: a word that everybody knows,
// with a capital, with letters turned into digits, and with a year or an exclamation mark around it. A list of such
// passwords would be endless, and nearly nothing on plain lists passes the other rules; so the words are listed, and
// the rest is recognised.
//
// The words are what is left of the most frequent passwords of zxcvbn's list (https://pypi.org/project/zxcvbn, release
// 4.5.0, frequency_lists.py, the list "passwords") without digits and special characters at their ends: the first 1,200
// of at least four letters, without the obscene ones, and some that its American sources lack: seasons, months, days,
// and keyboards of other languages. zxcvbn is Copyright (c) 2012-2016 Dan Wheeler and Dropbox, Inc., and Copyright (c)
// 2016 Daniel Wolf, under the MIT licence, whose words are those of the file LICENSE of this project.

/// Passwords that are tried first.
enum CommonPasswords {
    /// A common word, or one that is repeated, is still too common with up to this many characters around it:
    /// `Summer2026!!`.
    private static let aroundAtMost = 6
    /// A password with fewer different characters is like one key held down: `Aaaaaaaa1!`.
    private static let differentAtLeast = 5

    /// Whether somebody who guesses would try this soon.
    static func isCommon(_ password: String) -> Bool {
        let characters = Array(password.lowercased())
        guard Set(characters).count >= differentAtLeast else { return true }
        let around = min(aroundAtMost, characters.count)
        for start in 0...around {
            for end in (characters.count - (around - start))...characters.count where end - start >= shortest {
                if isCommon(core: characters[start..<end]) { return true }
            }
        }
        return false
    }

    /// Whether these are a word of the list, once or repeated, or keys or letters in a row.
    private static func isCommon(core: ArraySlice<Character>) -> Bool {
        // A 1 is an i to some and an l to others.
        (["i", "l"] as [Character]).contains { one in
            let plain = String(core.map { isOne($0) ? one : letters[$0] ?? $0 })
            return words.contains(repeated(plain)) || rows.contains { $0.contains(plain) }
        }
    }

    /// The part that a text repeats, if it is a repetition: `passpass` is `pass`.
    private static func repeated(_ text: String) -> String {
        let count = text.count
        for length in stride(from: shortest, through: count / 2, by: 1) where count % length == 0 {
            let part = String(text.prefix(length))
            if String(repeating: part, count: count / length) == text { return part }
        }
        return text
    }

    private static func isOne(_ character: Character) -> Bool {
        character == "1" || character == "!" || character == "|"
    }

    private static let shortest = 4

    /// The letters that digits and special characters stand for.
    private static let letters: [Character: Character] = [
        "0": "o", "3": "e", "4": "a", "@": "a", "5": "s", "$": "s", "7": "t", "+": "t", "8": "b", "€": "e",
    ]

    /// Keys and letters in a row, there and back.
    private static let rows: [String] = {
        let rows = [
            "qwertyuiopasdfghjklzxcvbnm", "qwertzuiopasdfghjklyxcvbnm", "azertyuiopqsdfghjklmwxcvbn",
            "abcdefghijklmnopqrstuvwxyz", "qazwsxedcrfvtgbyhnujmikolp",
        ]
        return rows + rows.map { String($0.reversed()) }
    }()

    private static let words = Set(list.split { $0.isWhitespace }.map(String.init))

    private static let list = """
        password qwerty dragon baseball football monkey letmein shadow master mustang qwertyuiop superman qazwsx jordan
        killer trustno hunter harley zxcvbnm asdfgh buster batman soccer tigger charlie sunshine iloveyou ranger hockey
        computer starwars pepper klaster zxcvbn freedom princess maggie pass ginger love cheese summer chelsea dallas
        biteme matrix yankees corvette austin access thunder merlin secret diamond hello hammer qwer silver gfhjkm
        internet samantha golfer scooter test orange cookie maverick sparky phoenix mickey bigdog snoopy guitar whatever
        chicken camaro mercedes peanut ferrari falcon cowboy welcome samsung steelers smokey dakota arsenal boomer
        eagles tigers marina nascar gateway yellow porsche monster spider diablo hannah bulldog junior london purple
        compaq lakers iceman hardcore cowboys money banana boston tennis coffee scooby nikita yamaha mother barney
        brandy chester oliver player forever rangers midnight chicago bigdaddy redsox angel badboy fender jasper slayer
        rabbit natasha marine wizard marlboro raiders prince casper fishing flower jasmine iwantu panties adidas winter
        winner gandalf enter ghbdtn golden cocacola winston madison angels panther blowme spanky sophie asdfasdf toyota
        tiger canada muffin liverpoo apples abcd pokemon slipknot qazxsw scorpion qwaszx startrek rainbow asdfghjkl razz
        newyork redskins gemini cameron qazwsxedc florida liverpool turtle sierra viking booger doctor rocket dolphins
        captain bandit jaguar packers pookie peaches asdf dolphin helpme blue theman maxwell qwertyui lovers maddog
        giants nirvana metallic hotdog rosebud mountain warrior stupid elephant success bond jackass alexis lucky
        scorpio samson azerty rush driver freddy sydney gators dexter bubba creative voodoo golf trouble america nissan
        gunner garfield asdfghjk apollo eminem legend airborne bear beavis apple brooklyn godzilla skippy buddy qwert
        kitten magic shelby beaver phantom asdasd xavier braves darkness blink copper platinum qweqwe tomcat girls
        bigboy animal police online voyager lifehack fish sniper trinity blazer heaven lover snowball playboy loveme
        bubbles cricket willow donkey topgun nintendo saturn destiny pakistan pumpkin digital sergey redwings explorer
        private runner therock guinness lasvegas beatles fire cassie christin celtic andrey broncos babygirl eclipse
        fluffy cartman michigan carolina testing alexande birdie pantera cherry vampire mexico buffalo genius montana
        beer minecraft maximus flyers lovely stalker metallica doggie snickers speedy bronco paradise yankee horses
        magnum dreams lacrosse goober enigma qwertyu scotty pimpin bollocks surfer poohbear genesis star qweasdzxc
        racing hawaii eagle viper einstein drowssap simple badger alaska action jester drummer spitfire forest maryjane
        champion diesel svetlana friday hotrod chevy westside security google badass tester shorty thumper hitman mozart
        reddog lizard ruslan scarface buddha spirit stargate naruto mercury liberty semperfi suzuki popcorn spooky
        marley scotland kitty cherokee vikings simpsons rascal qweasd hummer loveyou michael patches russia jupiter
        penguin passion vfhbyf honda vladimir sandman passport raider bastard infinity assman bulldogs fantasy horney
        domino budlight disney ironman softball brutus redrum bigred mnbvcxz fktrcfylh karina marines digger kawasaki
        cougar fireman oksana monday justice super wildcats tinker logitech dancer swordfis avalon everton alexandr
        motorola patriots hentai madonna ducati colorado connor juventus galore smooth freeuser warcraft boogie titanic
        wolverin elizabet arizona valentin saints asdfg accord christ yfnfif stinky spiderma naughty chopper nccitoid
        extreme skyline zombie pearljam froggy awesome vision pirate fylhtq dreamer bullet predator empire kirill
        panthers skipper nemesis rasdzv peekaboo rolltide cardinal psycho danger mookie happy wanker chevelle manutd
        goblue hobbes vegeta fyfcnfcbz picard windows loverboy victory vfrcbv bambam serega turkey tweety galina hiphop
        rooster changeme berlin taurus polina electric avatar maksim raptor alpha hendrix newport brazil spring madmax
        britney sublime darkside bigman wolfpack classic hercules ronaldo spiderman blizzard cheyenne cjkysirj wombat
        pandora holiday wildcat devils horse alabama caesar bondage pickle shaggy catch leather chronic admin airplane
        kodiak freepass billybob sunset katana phpbb chocolat snowman stingray firebird wolves zeppelin detroit pontiac
        gundam panzer outlaw redhead tarheels greenday nastya hardon engineer hellfire serenity cobra fireball lickme
        darkstar flash strike beauty pavilion bobafett dbrnjhbz bigmac bowling chris ytrewq natali pyramid rulez dodgers
        apache swimming whynot teens trooper defender precious packard weasel popeye lucifer cancer icecream raven
        swordfish presario viktor rockstar blonde james wutang spike pimp atlanta airforce thailand casino lennon mouse
        hacker bluebird hawkeye theone catfish sailor goldfish nfnmzyf tattoo pervert barbie maxima machine trucks
        wrangler rocks tornado lights cadillac bubble pegasus madman longhorn browns target eatme microsoft dilbert
        christia baller shooter xfiles seattle qazqaz cthutq amateur prelude corona freaky malibu assassin atlantis
        integra pussies iloveu lonewolf dragons unicorn software bobcat stealth peewee openup srinivas zaqwsx valentina
        shotgun trigger veronika bruins coyote babydoll joker dollar lestat rocky hottie random wordpass smiley sweety
        snake chipper woody samurai devildog gizmo maddie mistress flipper express hjvfirf moose cessna piglet polaris
        teacher montreal cookies wolfgang scully fatboy wicked balls tickle bunny dfvgbh foobar transam pepsi fetish
        oicu basketba toshiba hotstuff sunday booty gambit impala stephani jessica hooker lancer knicks shamrock stinger
        redneck deftones squirt siemens blaster trucker subaru renegade ibanez manson swinger reaper blondie mylove
        galaxy blahblah enterpri travel babylon indiana skeeter sugar ficken smoke bigone sweetpea trfnthbyf marino
        escort smitty bigfoot babes larisa trumpet spartan valera asdfghj stormy mister hamlet aardvark marathon paladin
        cavalier manchester skater indigo hornet buckeyes indians karate hesoyam toronto diamonds chiefs buckeye
        highland charger redman passwor maiden drpepper storm garden pencil sherlock timber thuglife insane pizza jungle
        jesus aragorn hamster david triumph techno pioneer catdog fktrctq morpheus pascal hobbit erotic consumer blabla
        justme stones chrissy spartak goforit burger pitbull adgjmptw italia barcelona hunting colors kissme virgin
        overlord pebbles sundance emerald doggy racecar irina element zipper alpine basket goddess poison sakura chichi
        huskers ultimate nccitoie blackie nicola rommel matthew caserta omega geronimo sammy trojan philips nugget
        tarzan chicks aleksandr bassman trixie portugal anakin dodger bomber superfly madness loser fatcat ybrbnf
        soldier warlock wrinkle desire babe seminole alejandr westham andrei concrete weed ladybug christop trombone
        tintin bluesky rhbcnbyf qazxswedc onelove cdtnkfyf vfvjxrf titans stallion truck hansolo smiles beagle panama
        kingkong flatron inferno mongoose connect poiuyt snatch qawsed juice blessed rocker snakes turbo bluemoon finger
        jamaica mulder beetle passat immortal plastic anthony whiskey dietcoke spunky monitor cactus exigen planet
        ripper teen spyder nolimit hollywoo sticky trunks pickles sailing bonehead ghbdtnbr delta charlott rubber molly
        yomama hongkong jumper william faster unreal memphis nylons legion sebastia shalom pentium geheim werewolf
        funtime ferret orion curious niners cantona sprite philly pirates abgrtyu lollipop eternity boeing sweets
        cooldude tottenha green jackoff stocking martini biscuit drizzt colt fossil makaveli snapper satan maniac salmon
        patriot verbatim nasty shasta asdzxc shaved blackcat raistlin punkrock cjkywt waterloo crimson twister oxford
        musicman seinfeld biggie condor ravens megadeth wolfman cosmos sharks banshee keeper foxtrot skywalke velvet
        black sesame dogs squirrel privet sunrise wolverine legolas grendel ghost cats carrot frosty lvbnhbq blades
        stardust frog qazwsxed coolio brownie groovy twilight daytona vanhalen pikachu peanuts licker hershey jericho
        intrepid ninja lobster goblin punisher strider shogun kansas amadeus seven jason neptune showtime muscle oldman
        ekaterina rfrfirf getsome showme obiwan skittles danni tanker maestro tarheel anubis hannibal newlife gothic
        shark fighter blues princes slick chaos sabine python mirage devil clover tequila surfing delete potato chubby
        panasonic sandiego portland baggins fusion sooners blackdog californ moscow playtime mature dagger dima stimpy
        gangster warriors iverson chargers byteme swallow liquid dingdong nymets cracker mushroom crusader bigguy miami
        dkflbvbh bugger nimrod tazman stranger newpass doodle powder gotcha guardian dublin slapshot septembe milano
        grizzly knights photos nookie charly rammstein brasil scruffy munchkin poopie kittycat latino walnut thegame
        kolobok picasso robert barcelon bananas trance auburn coltrane goodluck starcraft wheels parrot postal blade
        wisdom pink gorilla katerina andrew shaney dumbass osiris oakland discover spanking lonestar bingo meridian ping
        heather vitals heartbeat heartrate fitness passwort kennwort hallo motdepasse contrasena senha parola wachtwoord
        haslo heslo abcdefghij qwertz qwertzuiop azertyuiop yxcvbnm autumn fruehling sommer herbst tuesday wednesday
        thursday saturday january february march april june july august september october november december
        """
}
