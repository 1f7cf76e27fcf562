# Prints the page's Content-Security-Policy, as lighttpd reads it: what the page itself needs, and the hosts that the operator's settings
# name, from which it may also fetch the tiles of maps, and the tokens of people who sign in with somebody else.
#
#     jq -srf policy.jq /etc/vitals-page/settings.json
#
# Ends with 78, and says what is wrong, if the settings are not as the page needs them: deploy/page.md has an example.
# (-s collects all values of the file, which must be one.)

def wrong($where; $what): "\(input_filename): \($where) \($what)\n" | halt_error(78);

# An object with these texts, and possibly more.
def members($where; $texts; $possible):
  if type != "object" then wrong($where; "is not an object, { … }") else . end
  | (keys - $texts - $possible)[0] as $unknown
  | if $unknown then wrong($where; "has no setting \($unknown | tojson): there are \($texts + $possible | join(", "))") else . end
  | reduce $texts[] as $name (.;
      if .[$name] | type == "string" and test("\\S") then . else wrong("\($where).\($name)"; "is not there, or is not a text") end);

def list($name; $texts; $possible):
  if has($name) | not then .[$name] = [] else . end
  | if .[$name] | type != "array" then wrong($name; "is not a list, [ … ]") else . end
  | .[$name] |= [range(length) as $i | .[$i] | members("\($name)[\($i)]"; $texts; $possible)];

# Nothing that could add a word to the policy fits: a host has letters, digits, dots and hyphens.
def origins($list; $name):
  .[$list]
  | [range(length) as $i
    | .[$i]
    | select(has($name))[$name]
    | (strings | capture("\\A(?<origin>(https://[a-z0-9]([a-z0-9.-]*[a-z0-9])?|http://127\\.0\\.0\\.1)(:[0-9]{1,5})?)(/[!-~]*)?\\z").origin)
      // wrong("\($list)[\($i)].\($name)"; "is \(tojson), where the page may not go: write https:// and the name of one host in small letters, such as https://example.org/…")]
  | unique;

if length == 1 then .[0] else wrong("the file"; "has \(length) values, where one is expected: { … }") end
| members("the file"; []; ["maps", "providers"])
| list("maps"; ["name", "tiles", "attribution"]; ["closest"])
| list("providers"; ["provider", "label", "client_id", "authorization"]; ["token"])
| if all(.maps[] | select(has("closest")).closest; type == "number" and . == floor and . >= 0 and . <= 30) then .
  else wrong("maps"; "has a \"closest\" that is not a whole number from 0 to 30") end
# People are sent there by a link, which a policy does not stop: it must not be a script.
| origins("providers"; "authorization") as $_
| {
    "default-src": ["'none'"],
    "script-src": ["'self'"],
    "style-src": ["'self'"],
    "img-src": ["'self'", "blob:", origins("maps"; "tiles")[]],
    "connect-src": ["'self'", origins("providers"; "token")[]],
    "worker-src": ["'self'"],
    "manifest-src": ["'self'"],
    "base-uri": ["'none'"],
    "form-action": ["'none'"],
    "frame-ancestors": ["'none'"],
    "require-trusted-types-for": ["'script'"],
    "trusted-types": ["vitals-worker"]
  }
| to_entries
| "var.policy = \"\(map("\(.key) \(.value | join(" "))") | join("; "))\""
