import type { Level } from '../secured-document.ts'

export interface PermissionRow {
  /** Method and route, as the description of the interface writes it. */
  readonly call: string
  /** What stands for parameters of the path, where it is not what stands for them everywhere. */
  readonly places?: Readonly<Record<string, string>>
  readonly query?: string
  readonly may: Level
  /** The status for those who may; whether the thing is there is another question. */
  readonly allowed: number
  /** The status for other users. */
  readonly refused?: 401 | 403
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | URLSearchParams
}

/** A row as it is written: who may make a call of programs is known from its route. */
export interface WrittenRow extends Omit<PermissionRow, 'may'> {
  readonly may?: Level
}

/** What stands for the parameters of a path; nothing of it is there but the pipeline and the first revision. */
export const PLACES: Readonly<Record<string, string>> = {
  digest: '0'.repeat(32),
  commit: '0'.repeat(40),
  from: '0'.repeat(40),
  to: '0'.repeat(40),
  uuid: 'none',
  pipeline: 'alpha',
  stage: 'test',
  counter: '1',
  pipelineCounter: '1',
  stageCounter: '1',
  job: '1',
  path: 'x',
  object: 'x',
  offset: '0',
  kind: 'pipeline',
  name: 'alpha',
  time: '2030-01-01',
}
