/** One call of a version control's command line client, in the folder of the material. */
export interface ToolCommand {
  readonly command: string
  readonly args: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  /** What it reads, such as a password. */
  readonly input?: string
  /** Its failure does not matter. */
  readonly optional?: boolean
}

/**
 * Runs a client to its end, its output in the console.
 *
 * @throws {ToolFailed} when it does not succeed.
 */
export type RunTool = (command: ToolCommand) => Promise<void>

export class ToolFailed extends Error {
  override readonly name = 'ToolFailed'
}

/** What in a folder tells the client which programs to run and where to go: a job may write there. */
export interface Steering {
  /** Of everything but the settings: with another one the folder is made anew. */
  readonly digest: string
  /** As text; jobs change them for reasons of their own, and they are put back. */
  readonly settings: string
}

/** How one material gets into its folder. */
export interface SourceTool {
  /** What the folder is a copy of: with another identity it is made anew. */
  readonly identity: string
  /** What the client obeys in the folder; null where nothing is left to obey. */
  steering?(): Promise<Steering | null>
  /** Puts its settings back. */
  restore?(run: RunTool, settings: string): Promise<void>
  /** Fills an empty folder. */
  fresh(run: RunTool): Promise<void>
  /** Brings a folder that `fresh` filled to the revision, as if it were fresh. */
  update(run: RunTool): Promise<void>
}

/** Where a material goes, and a name that is this folder's own on every server. */
export interface SourcePlace {
  readonly folder: string
  readonly workspace: string
}
