import { randomBytes } from 'node:crypto'

const DRAFT = /^\.draft-[0-9a-f]{16}$/

/** A name that no other writer uses, for a file that is not finished. */
export function draftName(): string {
  return `.draft-${randomBytes(8).toString('hex')}`
}

export function isDraftName(name: string): boolean {
  return DRAFT.test(name)
}
