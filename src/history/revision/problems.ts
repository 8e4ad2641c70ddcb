import type { LogEvent } from '../../lib/log.ts'
import { ServiceError } from '../../core/errors.ts'
import type { Problem } from '../../core/problem.ts'
import { Emitter } from '../../lib/emitter.ts'

/** A problem that keeps the history from taking over the live file, the branch or the repository. */
export interface HistoryProblem {
  readonly kind: 'repository' | 'live-file' | 'commit' | 'refused' | 'conflict'
  /** A sentence for operators. */
  readonly message: string
  readonly problems: readonly Problem[]
}

/** A log entry for operators. */
export interface HistoryEvent {
  readonly level: LogEvent['level']
  readonly message: string
  readonly facts?: Readonly<Record<string, unknown>>
}

export type Report = (event: HistoryEvent) => void

/** The open problems, one of each kind. Each is logged once when it is raised and once when it is cleared. */
export class Problems {
  readonly #report: Report
  readonly #standing = new Map<HistoryProblem['kind'], HistoryProblem>()
  readonly #found = new Emitter()

  constructor(report: Report) {
    this.#report = report
  }

  of(kind: HistoryProblem['kind']): HistoryProblem | null {
    return this.#standing.get(kind) ?? null
  }

  /** The most important problem, or null. */
  worst(): HistoryProblem | null {
    const kinds = ['repository', 'live-file', 'commit', 'refused', 'conflict'] as const
    return kinds.map((kind) => this.#standing.get(kind)).find((each) => each !== undefined) ?? null
  }

  /** Calls the listener whenever a problem is found, also again. Returns a function that unsubscribes it. */
  onFound(listener: () => void): () => void {
    return this.#found.on(listener)
  }

  raise(problem: HistoryProblem): void {
    const before = this.#standing.get(problem.kind)
    this.#standing.set(problem.kind, problem)
    this.#found.emit()
    if (before?.message === problem.message) return
    const { message, problems } = problem
    this.#report({ level: 'warning', message, facts: { problems } })
  }

  clear(kind: HistoryProblem['kind']): void {
    const before = this.#standing.get(kind)
    if (!this.#standing.delete(kind)) return
    this.#report({ level: 'info', message: 'Solved', facts: { problem: before?.message } })
  }
}

/** Describes problems in one sentence, with the place of the first. */
export function describeProblems(problems: readonly Problem[]): string {
  const [first] = problems
  if (first === undefined) return 'no reason is known'
  const place = first.line === undefined ? '' : `line ${first.line}, column ${first.column ?? 1}: `
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : ''
  return `${place}${first.message}${more}`
}

export function notValid(problems: readonly Problem[]): ServiceError<'config-invalid'> {
  const message = `The configuration is not valid: ${describeProblems(problems)}`
  return new ServiceError('config-invalid', message, { problems })
}
