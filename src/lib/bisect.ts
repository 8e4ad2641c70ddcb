/** The whole numbers from `low`, or 0, up to `high`. */
export interface NumberRange {
  readonly low?: number
  readonly high: number
}

/**
 * The first number of the range for which the test is false; `high` when there is none. The test
 * has to be true up to some number and false from there on.
 */
export function bisect({ low = 0, high }: NumberRange, test: (n: number) => boolean): number {
  let [from, to] = [low, high]
  while (from < to) {
    const middle = Math.floor((from + to) / 2)
    if (test(middle)) from = middle + 1
    else to = middle
  }
  return from
}

/** {@link bisect} for an asynchronous test. */
export async function bisectAsync(
  { low = 0, high }: NumberRange,
  test: (n: number) => Promise<boolean>,
): Promise<number> {
  let [from, to] = [low, high]
  while (from < to) {
    const middle = Math.floor((from + to) / 2)
    if (await test(middle)) from = middle + 1
    else to = middle
  }
  return from
}
