import { withoutPaths } from '../core/faults.ts'
import type { ProgramEnd } from '../processes/run-program.ts'
import { runToEnd } from '../processes/starter.ts'
import { SourceFailed } from './modification.ts'
import { MASK, maskSecrets } from '../document/text/shown-text.ts'

export interface ToolCall {
  readonly command: string
  /** Its name in messages; the command if absent. */
  readonly name?: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly environment?: Readonly<Record<string, string>>
  /** Its standard input, such as a password. */
  readonly input?: string
  /** Whether it may take long, for instance to clone a repository. */
  readonly isLong?: boolean
  /** The queried address; messages may contain it even if it is a path. */
  readonly address?: string
  /** Texts that must not appear in a message. */
  readonly secrets?: readonly string[]
}

export interface ToolsOptions {
  /** The environment variables of every tool. */
  readonly environment: Readonly<Record<string, string>>
  /** Milliseconds after which a tool is killed; a long one gets ten times as much. */
  readonly timeout: number
}

const LONGER = 10
/** Runs the clients of version controls. They end at the latest with this process. */
export class Tools implements AsyncDisposable {
  readonly #options: ToolsOptions
  readonly #running = new Set<Promise<unknown>>()
  readonly #stopping = new AbortController()

  constructor(options: ToolsOptions) {
    this.#options = options
  }

  /**
   * The output of a tool.
   *
   * @throws {SourceFailed} when it fails.
   */
  async run(call: ToolCall): Promise<string> {
    const { code, stdout, stderr, reason } = await this.#run(call)
    if (code === 0 && reason === null) return stdout
    const name = call.name ?? call.command
    const complaint = withoutPaths(complaintOf(stderr, name) ?? '', {
      folder: call.cwd,
      address: call.address ?? null,
    })
    const what = reason ?? (complaint || `it ended with ${code}`)
    throw new SourceFailed(hideSecrets(`${name}: ${what}`, call.secrets ?? []))
  }

  /** Whether a tool succeeds. @throws {SourceFailed} when it cannot be run at all. */
  async succeeds(call: ToolCall): Promise<boolean> {
    const { code, reason } = await this.#run(call)
    if (reason !== null) throw new SourceFailed(`${call.name ?? call.command}: ${reason}`)
    return code === 0
  }

  /** Kills all running tools, and starts no more. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort()
    await Promise.all(this.#running)
  }

  #run({ command, args, cwd, environment, input = '', isLong }: ToolCall): Promise<ProgramEnd> {
    const { signal } = this.#stopping
    if (signal.aborted) throw new SourceFailed('The service is stopping')
    const env = { ...this.#options.environment, ...environment }
    const timeout = this.#options.timeout * (isLong === true ? LONGER : 1)
    const end = runToEnd({ program: command, args, cwd, env, input, timeout }, signal)
    this.#running.add(end)
    return end.finally(() => this.#running.delete(end))
  }
}

/** The time that a client waited: it is another one for each try of what stays the same problem. */
const WAITED = / after \d+ ms\b/g

/** The error lines of the output, joined to one. A tool that begins each with its name has said it already. */
function complaintOf(stderr: string, name: string): string | null {
  const own = `${name}: `
  const lines = stderr
    .split('\n')
    .map((line) => line.trim())
    .map((line) => (line.startsWith(own) ? line.slice(own.length) : line))
    .filter((line) => line !== '')
  return lines.length === 0 ? null : lines.slice(0, 5).join(' ').replaceAll(WAITED, '')
}

/** Removes the secrets from a text, in all forms that tools print them in. */
function hideSecrets(text: string, secrets: readonly string[]): string {
  const forms = secrets.flatMap((secret) => [secret, encodeURIComponent(secret), encodeURI(secret)])
  const longestFirst = [...new Set(forms)]
    .filter((form) => form !== '')
    .toSorted((one, other) => other.length - one.length)
  return maskSecrets(longestFirst.reduce((line, form) => line.replaceAll(form, MASK), text))
}
