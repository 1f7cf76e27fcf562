import { helpView } from "./help";
import { musicView } from "./music";
import { reminderView } from "./reminder";
import { remindersView } from "./reminders";
import { sensorView } from "./sensor";
import { sensorsView } from "./sensors";
import type { View } from "./view";

/** Around the house, in the order of the navigation. */
export const house: View[] = [sensorsView, sensorView, remindersView, reminderView, musicView, helpView];
