import { byAge } from '../../core/builds/assignment.ts'
import type { WaitingJob } from './documents.ts'

/**
 * The jobs that wait for an agent, oldest first. Derived from the store, and rebuilt at each start.
 */
export class JobQueue {
  readonly #jobs: WaitingJob[] = []

  get length(): number {
    return this.#jobs.length
  }

  /** Oldest first. */
  list(): readonly WaitingJob[] {
    return this.#jobs
  }

  add(job: WaitingJob): void {
    const index = this.#jobs.findLastIndex((other) => byAge(other, job) < 0) + 1
    if (this.#jobs[index]?.id === job.id) return
    this.#jobs.splice(index, 0, job)
  }

  remove(id: number): void {
    const index = this.#jobs.findIndex((job) => job.id === id)
    if (index >= 0) this.#jobs.splice(index, 1)
  }

  /** Removes the oldest matching job from the queue, so that no other agent gets it. */
  take(fits: (job: WaitingJob) => boolean): WaitingJob | null {
    const index = this.#jobs.findIndex(fits)
    return index < 0 ? null : (this.#jobs.splice(index, 1)[0] ?? null)
  }
}
