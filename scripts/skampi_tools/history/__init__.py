"""Result files of weeks: series of points, where they change, what changed in the environment there, and how all
this is shown."""
