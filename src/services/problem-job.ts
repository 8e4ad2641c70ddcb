import { readDocument } from '../config/document.ts'
import type { Problem } from '../core/problem.ts'

/** A document that is to be read as a whole, to say what is wrong with it. */
export interface ProblemJob {
  readonly document: Uint8Array<ArrayBuffer>
}

export type ProblemAnswer = readonly Problem[]

export function problemsIn({ document }: ProblemJob): ProblemAnswer {
  const reading = readDocument(document)
  return reading.ok ? [] : reading.problems
}
