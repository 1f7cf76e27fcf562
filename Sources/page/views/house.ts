import { exercisesView, exerciseView } from "./exercises";
import { helpView } from "./help";
import { mealsView } from "./meals";
import { musicView } from "./music";
import { reminderView } from "./reminder";
import { remindersView } from "./reminders";
import { sensorView } from "./sensor";
import { sensorsView } from "./sensors";
import { trainingView } from "./training";
import { trainingNowView } from "./training-now";
import type { View } from "./view";

/** Around the house, in the order of the navigation. */
export const house: View[] = [
  trainingView, trainingNowView, exercisesView, exerciseView, mealsView, sensorsView, sensorView, remindersView, reminderView, musicView, helpView,
];
