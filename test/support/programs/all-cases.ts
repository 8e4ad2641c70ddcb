/** Whether tests that repeat one thing with many cases run all of them: CAIRN_TEST_CASES=all. */
const ALL = process.env.CAIRN_TEST_CASES === 'all'

/** A number of rounds or steps: mostly the shorter one, which keeps each kind of case. */
export function casesOf<Value>({
  all,
  mostly,
}: {
  readonly all: Value
  readonly mostly: Value
}): Value {
  return ALL ? all : mostly
}
