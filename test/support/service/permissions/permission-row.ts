import type { Level } from '../secured-document.ts'

/** One call, who may make it, and what answers them. */
export interface PermissionRow {
  /** Method and route, as the description of the interface writes it. */
  readonly call: string
  /** Path and query of the request. */
  readonly target: string
  readonly may: Level
  /** The status for those who may; whether the thing is there is another question. */
  readonly allowed: number
  /** The status for other users. */
  readonly refused: 401 | 403
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | URLSearchParams | null
}

/** A page, which has no example that says how it is asked for. */
export interface PageRow extends Pick<PermissionRow, 'call' | 'may' | 'allowed'> {
  /** Values for parameters of the path that differ from the usual ones. */
  readonly places?: Readonly<Record<string, string>>
  readonly query?: string
  readonly refused?: PermissionRow['refused']
  readonly headers?: PermissionRow['headers']
  readonly body?: string | URLSearchParams
}

/** Deviations from the definition of a call and its example, in the service of the test. */
export type Exception = Partial<Omit<PermissionRow, 'call'>>
