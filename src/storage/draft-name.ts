import { randomBytes } from 'node:crypto'

const DRAFT = /^\.draft-[0-9a-f]{16}$/

/** A unique name for an unfinished file. */
export function draftName(): string {
  return `.draft-${randomBytes(8).toString('hex')}`
}

export function isDraftName(name: string): boolean {
  return DRAFT.test(name)
}
