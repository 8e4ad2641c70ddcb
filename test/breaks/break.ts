/** A deliberate break of the code, and the test that has to notice it. */
export interface Break {
  /** The behaviour that no longer holds. */
  readonly behaviour: string
  /** Below `src`. */
  readonly file: string
  /** Stands in the file once. */
  readonly find: string
  readonly replace: string
  /** Below `test`: the quickest test that holds the behaviour. */
  readonly test: string
}
