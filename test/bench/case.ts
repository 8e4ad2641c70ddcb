/** One promise about speed and the way to measure it. */
export interface BenchCase {
  /** `area: what`; a run can be narrowed to the names that contain a word. */
  readonly name: string
  readonly must: Limit
  readonly measure: (run: BenchRun) => Promise<Measured> | Measured
}

export interface Limit {
  readonly atMost?: number
  readonly atLeast?: number
  readonly unit: string
}

export interface BenchRun {
  /** Sizes are small: the numbers say that the case works, not how fast it is. */
  readonly quick: boolean
  /** A folder for whatever the case needs, removed after it. */
  readonly folder: string
}

export interface Measured {
  /** The number that the limit is about. */
  readonly value: number
  /** Further facts that help to understand it. */
  readonly facts?: Readonly<Record<string, number | string>>
  /** The calls that it was measured by, where there are many. */
  readonly calls?: readonly MeasuredCall[]
}

/** The CPU time of one call on the server, in milliseconds, with little data and with much. */
export interface MeasuredCall {
  readonly call: string
  readonly small: number
  readonly large: number
  /** The CPU time of a bare Hono app for the same bytes; null for a call that changes something. */
  readonly bare: number | null
}
