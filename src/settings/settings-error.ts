/** A bad flag, variable or value: the program ends with exit code 2 and this one line. */
export class SettingsError extends Error {}
