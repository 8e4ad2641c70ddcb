/** Where a service keeps what it keeps. */
export interface ServicePlaces {
  readonly repository: string
  readonly fileName: string
  readonly stateDir: string
  readonly usersFile: string
}
