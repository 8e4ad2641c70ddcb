/** One call of a version control's command line client, in the folder of the material. */
export interface ToolCommand {
  readonly command: string
  readonly args: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  /** Its standard input, such as a password. */
  readonly input?: string
  /** Whether its failure is ignored. */
  readonly optional?: boolean
}

/**
 * Runs a client to its end, with its output in the console.
 *
 * @throws {ToolFailed} when it fails.
 */
export type RunTool = (command: ToolCommand) => Promise<void>

export class ToolFailed extends Error {
  override readonly name = 'ToolFailed'
}

/**
 * The entries of a folder that tell the client which programs to run and where to go: jobs may
 * write them.
 */
export interface Steering {
  /** The digest of everything except the settings: when it changes, the folder is created again. */
  readonly digest: string
  /** The settings as text; jobs change them legitimately, so they are restored. */
  readonly settings: string
}

/** Checks out one material into its folder. */
export interface SourceTool {
  /** Identifies the source of the folder: when it changes, the folder is created again. */
  readonly identity: string
  /** The entries that control the client; null when there are none. */
  steering?(): Promise<Steering | null>
  /** Restores the client's settings. */
  restore?(run: RunTool, settings: string): Promise<void>
  /** Fills an empty folder. */
  fresh(run: RunTool): Promise<void>
  /** Updates a folder that `fresh` filled to the revision, with the same result as `fresh`. */
  update(run: RunTool): Promise<void>
}

/** The folder of a material, and a name that is unique to it on every server. */
export interface ToolPlace {
  readonly folder: string
  readonly workspace: string
}
