/** The caller: a user of the users file. */
export interface Principal {
  readonly username: string
}
