import { array, assert, constantFrom, property } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findUserInfos, hasUserInfo } from '../../../src/document/secrets/user-info.ts'

const aPiece = constantFrom('://', '/', ':', '@', ' ', '\n', '"', '<', '>', 'git', 'é', '\u2028')
const aText = array(aPiece, { maxLength: 12 }).map((pieces) => pieces.join(''))

describe('a quick look for user information', () => {
  it('misses none', () => {
    assert(
      property(aText, (text) => {
        const hasNone = findUserInfos(text).next().done === true
        expect(hasNone || hasUserInfo(Buffer.from(text))).toBe(true)
      }),
      { numRuns: 2_000 },
    )
  })

  it('takes no other @ for the end of one', () => {
    const urls = ['git@example.com:a/b', 'https://example.com/a@b', 'https://example.com a@b', '@']

    const found = urls.filter((url) => hasUserInfo(Buffer.from(`<git url="${url}"/>`)))

    expect(found).toEqual([])
  })
})
