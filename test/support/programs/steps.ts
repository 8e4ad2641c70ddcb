/** The filters of tags that are the two steps, as `package.json` and `.ci/run` name them. */
const FIRST = '!long'
const SECOND = 'long'

const WHOLLY_LONG = /^\/\/ @module-tag long$/m
const PARTLY_LONG = /'long'/

/**
 * Whether a file of tests with this text may have one of the step. A tag is written in the file of its test, so
 * that what has none, or one for all of it, need not be loaded to find no test in it.
 */
export function mayHaveTestsOf(step: string, text: string): boolean {
  if (step === FIRST) return !WHOLLY_LONG.test(text)
  if (step === SECOND) return WHOLLY_LONG.test(text) || PARTLY_LONG.test(text)
  return true
}
