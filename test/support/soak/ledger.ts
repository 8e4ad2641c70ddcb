import type { JobReport } from '../../../src/core/builds/job.ts'

/** A step of a job that was acknowledged to a caller. */
export interface JobStep {
  readonly jobId: number
  readonly agent: string
  readonly state: 'Assigned' | JobReport['state']
}

export type Decision = 'enabled' | 'disabled' | 'absent'

/** The latest decision about an agent, and what was requested since and may have happened. */
export interface Decided {
  readonly acknowledged: Decision | null
  readonly asked: Decision | null
}

/** The acknowledgements of a service over all of its lives, and the faults that were found. */
export class Ledger {
  readonly digests = new Set<string>()
  /** Revisions that were saved over HTTP: the audit log has an entry of each. */
  readonly audited = new Set<string>()
  readonly commits = new Set<string>()
  /** `pipeline/counter/stage/counter` of every run that was started. */
  readonly runs = new Set<string>()
  readonly steps: JobStep[] = []
  readonly decisions = new Map<string, Decided>()
  /** The jobs by their ids, and the agent of each. */
  readonly assigned = new Map<number, string>()
  /** Edits of the live file that have not become a revision yet. */
  readonly pendingEdits = new Set<string>()
  /** The texts that were written to the live file. */
  readonly edits = new Set<string>()
  readonly problems: string[] = []
  readonly counts = new Map<string, number>()

  count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1)
  }

  /** How much was acknowledged so far. */
  total(): number {
    return [...this.counts.values()].reduce((sum, count) => sum + count, 0)
  }

  complain(problem: string): void {
    this.problems.push(problem)
  }

  saved(digest: string, how: string): void {
    this.digests.add(digest)
    this.count(how)
  }

  started(run: string): void {
    if (this.runs.has(run)) this.complain(`the run ${run} was started twice`)
    this.runs.add(run)
    this.count('runs started')
  }

  stepped(step: JobStep): void {
    this.steps.push(step)
    this.count(step.state === 'Assigned' ? 'jobs taken' : 'jobs reported')
  }

  took(jobId: number, whose: string): void {
    const known = this.assigned.get(jobId) ?? whose
    if (known !== whose) this.complain(`job ${jobId} is given as ${whose} and as ${known}`)
    this.assigned.set(jobId, whose)
  }

  asked(uuid: string, decision: Decision): void {
    const acknowledged = this.decisions.get(uuid)?.acknowledged ?? null
    this.decisions.set(uuid, { acknowledged, asked: decision })
  }

  decided(uuid: string, decision: Decision): void {
    this.decisions.set(uuid, { acknowledged: decision, asked: null })
    this.count('decisions about agents')
  }
}
