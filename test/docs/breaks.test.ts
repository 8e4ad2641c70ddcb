import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { BREAKS } from '../breaks/breaks.ts'
import { rootFile } from '../support/programs/root-file.ts'

describe('the deliberate breaks', () => {
  it('are at least forty, each of a place and by a test that there are', () => {
    const missing = BREAKS.filter(({ file, find, test }) => {
      const path = rootFile(`src/${file}`)
      const places = existsSync(path) ? readFileSync(path, 'utf8').split(find).length - 1 : 0
      return places !== 1 || !existsSync(rootFile(`test/${test}`))
    })

    expect(BREAKS.length).toBeGreaterThanOrEqual(40)
    expect(missing.map(({ file, find }) => ({ file, find }))).toEqual([])
  })
})
