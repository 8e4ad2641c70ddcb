import type { JobReport } from '../../core/builds/job.ts'
import type { JobLocator } from '../../wire/agent/paths.ts'
import type { ArtifactKind, ArtifactListing } from '../../wire/agent/work.ts'
import type { AgentClient } from './agent-client.ts'
import { retry, type Backoff } from '../../lib/retry.ts'
import { isRefusal, ServerAbsent } from './server-errors.ts'

export interface JobCallsOptions {
  readonly client: AgentClient
  readonly jobId: number
  readonly newBackoff: () => Backoff
}

/** The calls about one job; each is repeated while the server is absent. */
export class JobCalls {
  readonly #options: JobCallsOptions

  constructor(options: JobCallsOptions) {
    this.#options = options
  }

  report(report: JobReport, signal: AbortSignal): Promise<void> {
    const { client, jobId } = this.#options
    return this.#repeat(() => client.report(jobId, report, signal), signal)
  }

  appendConsole(offset: number, bytes: Buffer, signal: AbortSignal): Promise<number> {
    const { client, jobId } = this.#options
    return this.#repeat(() => client.appendConsole(jobId, { offset, bytes }, signal), signal)
  }

  upload(
    artifact: { kind: ArtifactKind; path: string; file: string },
    signal: AbortSignal,
  ): Promise<void> {
    const { client, jobId } = this.#options
    return this.#repeat(() => client.upload(jobId, artifact, signal), signal)
  }

  listArtifacts(
    from: JobLocator,
    path: string,
    signal: AbortSignal,
  ): Promise<ArtifactListing['files']> {
    return this.#repeat(() => this.#options.client.listArtifacts(from, path, signal), signal)
  }

  download(
    from: JobLocator,
    target: { path: string; size: number; file: string },
    signal: AbortSignal,
  ): Promise<void> {
    return this.#repeat(() => this.#options.client.download(from, target, signal), signal)
  }

  #repeat<Answer>(call: () => Promise<Answer>, signal: AbortSignal): Promise<Answer> {
    return untilAnswered(call, { backoff: this.#options.newBackoff(), signal })
  }
}

/**
 * Repeats a call while the server is absent, or rejects the token: the agent's contact then obtains
 * a new one.
 *
 * @throws any other error of the call, and the signal's reason once it is aborted.
 */
function untilAnswered<Answer>(
  call: () => Promise<Answer>,
  options: { backoff: Backoff; signal: AbortSignal },
): Promise<Answer> {
  return retry(call, { ...options, onFailure: throwUnlessAbsent })
}

function throwUnlessAbsent(error: unknown): void {
  if (!(error instanceof ServerAbsent) && !isRefusal(error, 401)) throw error
}
