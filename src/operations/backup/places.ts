/** The folders and files of a service. */
export interface ServicePlaces {
  readonly repository: string
  readonly fileName: string
  readonly stateDir: string
  readonly usersFile: string
}
