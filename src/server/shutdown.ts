import { Resources } from '../lib/resources.ts'

/** The phases of a stop, in order. */
const PHASES = [
  // Calls that are held for work, revisions and polls are answered, so that they can end.
  'release-waiters',
  // No request comes in any more, and those in flight end.
  'stop-listening',
  // Whatever runs by itself: timers, threads, webhooks, the mirror.
  'stop-background-work',
  // The history, the state, the audit log, and the locks of their folders.
  'close-engines',
] as const
export type ShutdownPhase = (typeof PHASES)[number]

/** The resources of a service by the phase that closes them; within a phase the last opened is the first closed. */
export class Shutdown implements AsyncDisposable {
  readonly #phases = new Map<ShutdownPhase, Resources>(
    PHASES.map((phase) => [phase, new Resources()]),
  )

  /** Takes charge of a resource and hands it back. */
  own<Resource extends Disposable | AsyncDisposable>(
    phase: ShutdownPhase,
    resource: Resource,
  ): Resource {
    this.#phases.get(phase)?.own(resource)
    return resource
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const resources of this.#phases.values()) await resources[Symbol.asyncDispose]()
  }
}
