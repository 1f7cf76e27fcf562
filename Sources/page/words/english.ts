/** What the page says, in English. A `{name}` stands for what is put there. */
export const english = {
  // Places
  today: "Today", heart: "Heart", you: "You", lately: "Lately", main: "Main", skip: "Skip to content",
  // The door
  signIn: "Sign in", signUp: "Sign up", reset: "Forgotten password", signInTitle: "Sign in to Vitals", signUpTitle: "Sign up to Vitals",
  resetTitle: "A new password",
  name: "E-mail or phone number", nameHint: "A phone number with its country code", password: "Password", newPassword: "New password",
  passwordHint: "At least 10 characters, with upper and lower case, a digit and a sign such as !",
  showPassword: "Show the password", hidePassword: "Hide the password", stay: "Stay signed in on this device",
  sealed: "Your readings are encrypted at home, before they are stored.", thisTab: "You stay signed in until you close this tab: the address is not encrypted.",
  sendCode: "Send a code", code: "Code from the message", setPassword: "Set the password", haveCode: "I have a code",
  hanging: "Somebody has used this account before. Keep what belongs to it, or delete it for good?",
  hangingWhy: "Nothing has been changed yet. Nobody has shown so far that this address or number is theirs: if you did not make the account, what belongs to it is somebody else's.",
  friends: "Friends", invitations: "Invitations", consent: "Things that others may see", gateways: "Gateways", documents: "Documents", heartRates: "Heart rates",
  stepCounts: "Step counts", temperatures: "Temperatures", motions: "Motions", pedometers: "Step counters", positions: "Positions", keepIt: "Keep it", deleteIt: "Delete it",
  passwordChanged: "The password is changed. Sign in with it.", device: "Browser on {system}", signedOut: "This device was signed out.",
  // The connection
  live: "Live", online: "Online", offline: "Offline", connecting: "Connecting", noSensor: "No sensor",
  offlineSince: "Offline since {time}. What you see is from then.", neverOnline: "The broker cannot be reached. It is tried again.",
  // Heart rate
  heartRate: "Heart rate", bpm: "bpm", zone: "Zone {number}", zone1: "easy", zone2: "light", zone3: "moderate", zone4: "hard", zone5: "hardest",
  contact: "{sensor}, good contact", noContact: "No skin contact", lastAt: "last {bpm} at {time}", silent: "{sensor} sends nothing",
  lastMinute: "Last minute", resting: "Resting", lowest: "Lowest", highest: "Highest", average: "Average",
  nothingYet: "Nothing yet. Put on a strap, and your heart rate appears here the moment it is measured.",
  traceSays: "Heart rate of the last three minutes: lowest {low}, highest {high}, now {now} beats per minute",
  traceSaysPast: "Heart rate of the last three minutes: lowest {low}, highest {high} beats per minute",
  sayNow: "Say the heart rate", saidNow: "{bpm} beats per minute", saidZone: "Zone {number}, {name}",
  anyPeriod: "Any period", period: "Period", hourPeriod: "Hour", dayPeriod: "Day", weekPeriod: "Week", monthPeriod: "Month", yearPeriod: "Year",
  before: "Before", after: "After", zoomIn: "Zoom in", zoomOut: "Zoom out", asTable: "As a table", time: "Time", askAgain: "Ask again",
  lowestToHighest: "Lowest to highest", pointIs: "A point is {time}", pointSays: "{time}, lowest {low}, highest {high}",
  periodSays: "Heart rate, {name}: lowest {low}, average {mean}, highest {high} beats per minute",
  nothingRecorded: "Nothing was recorded in this period.", notKept: "Your heart rate is shown live, and not kept.", keepHeartNow: "Keep it from now on",
  delete: "Delete", deleteRange: "Delete this period", deleteQuestion: "Delete the heart rates of this period?", deleteMeans: "{name}: they are deleted for good.",
  deleted: "{count} heart rates deleted",
  byHeartRate: "Energy by heart rate", recorded: "Recorded", beatToBeat: "Beat to beat", intervals: "Time from beat to beat", averageInterval: "Average interval", rmssd: "Variability, RMSSD", sdnn: "Variability, SDNN",
  noBeats: "No times between beats were recorded in this period. Not every sensor measures them.", beatsOfHour: "Zoom in to an hour or less to see each beat.",
  beatsOfHours: "Zoom in to a day or less to see how much your heart rate varies.", beatsCut: "These are the first beats of this period. Zoom in to see the others.",
  beatsSay: "{count} times from beat to beat, {name}: shortest {low}, longest {high} milliseconds",
  // Workouts
  workouts: "Workouts", workout: "Workout", activity: "Activity", runs: "Runs", walks: "Walks", rides: "Rides", run: "Run", walk: "Walk", ride: "Ride",
  noWorkouts: "No workouts yet. Start one with: vitals workout start running, or bring some along with: vitals workout import.", more: "More",
  thisWeek: "This week", summary: "Summary", duration: "Duration", averagePace: "Average pace", averageSpeed: "Average speed", averageHeart: "Average heart rate",
  highestHeart: "Highest heart rate", ascent: "Ascent", goal: "Goal", timeInZones: "Time in zones", splits: "Splits", altitude: "Altitude",
  paceAndAltitude: "Pace and altitude", faster: "Pace, faster is higher", movesPoint: "Moves the green point on the map",
  paceSays: "Pace over distance: fastest {pace}", atDistance: "at {distance}", altitudeIs: "altitude {height}", wayOnMap: "The way, on plain ground with a scale", north: "N",
  importedFrom: "recorded by {source}", heartThen: "Heart rate then", deleteWorkout: "Delete this workout", deleteWorkoutQuestion: "Delete this workout?",
  deleteWorkoutMeans: "It is deleted for good, and its heart rates with it.", "Workout details deleted": "Workout details deleted",
  // Goals
  goals: "Goals", steps: "Steps", distance: "Distance", energy: "Energy", of: "of {target}", stepsUnit: "steps", reached: "reached",
  noGoals: "You have no goals.",
  // On demand
  onDemand: "On demand", readNow: "Read now", stepsValue: "{steps} steps", readAt: "read {time}", neverRead: "Not read yet", temperature: "Temperature",
  readSteps: "Read the steps now", readTemperature: "Read the temperature now",
  // Friends, what happened, sensors
  friendsToday: "Friends today", thumbsUp: "Thumbs up for {name}", thumbsDown: "Thumbs down for {name}", cheered: "{name} is told",
  nothingLately: "Nothing has happened lately.", seenAll: "Mark as seen", all: "All", notifications: "Notifications, {count} new",
  sensors: "Sensors", sensorLive: "Live", sensorOnline: "Connected", sensorGone: "Out of reach", gatewayGone: "The gateway is offline", sensorUnseen: "Not visible here",
  wornAt: "worn at the {place}", batteryIs: "battery {percent}",
  // First steps
  welcome: "Welcome", welcomeName: "Welcome, {name}", firstSteps: "A few steps to your first day", done: "Done",
  tellFormulas: "Tell what the formulas need", tellFormulasWhy: "Zones, distance and energy follow from it. Only you see it.",
  connectSensor: "Claim a sensor", connectSensorWhy: "The gateway's console prints its code with: vitals-gateway claim-code strap",
  claimLine: "What the console printed", claimHint: "Such as: vitals claim ang4tr7v/strap FY3XV-7XCDV-W8P39", claim: "Claim", claimed: "{sensor} is yours",
  claimUnread: "This is not what the console prints: a gateway, a slash, a sensor and a code.",
  enrolGateway: "Enrol the gateway", enrolGatewayWhy: "A gateway needs a code once, before it can be trusted with readings.",
  getCode: "Get a code", enrolWith: "On the gateway, type vitals-gateway enrol, and then this code:", codeEnds: "The code works until {time}.",
  chooseGoal: "Choose a goal", chooseGoalWhy: "10,000 steps a day, unless you say otherwise.", goalSteps: "Steps a day", goalSaved: "Goal Saved Successfully",
  // Oneself
  profile: "Profile", personName: "Name", birth: "Date of birth", gender: "Gender", female: "Female", male: "Male", other: "Other", undisclosed: "Unspecified",
  height: "Height in cm", weight: "Weight in kg", units: "Units", metric: "Kilometres, °C", imperial: "Miles, °F",
  keepHeart: "Keep my heart rate all day, a value a second", on: "On", off: "Off", save: "Save", cancel: "Cancel", edit: "Edit",
  devices: "Devices", thisDevice: "This browser", signedInOn: "signed in {time}", revoke: "Sign out", revokeDevice: "Sign out {name}", revoked: "{name} is signed out",
  signOut: "Sign out", signOutQuestion: "Sign out on this device?", signOutMeans: "What was kept here is removed. You can sign in again.",
  // Loading, errors
  close: "Close", loading: "Loading", noAnswer: "Nothing came in time.", youAreOffline: "You are offline. The page connects again by itself.",
  noSuchView: "There is no such view", toToday: "To today",
  justNow: "just now", secondsAgo: "{seconds} s ago", minutesAgo: "{minutes} min ago", todayAt: "today {time}",
  // The service's sentences, by its words
  "Empty Fields": "Empty Fields", "Select DOB": "Select DOB", "Enter Name": "Enter Name", "Enter Height": "Enter Height", "Enter Weight": "Enter Weight",
  "Enter Proper Height": "Enter Proper Height", "Enter Proper Weight": "Enter Proper Weight", "Data Saved Successfully": "Data Saved Successfully",
  "Changes Discarded": "Changes Discarded", "Enter Details to Proceed": "Enter Details to Proceed",
  "You are registered and signed in": "You are registered and signed in",
};

export type Word = keyof typeof english;
