import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { documentWith } from '../support/documents.ts'
import { save } from '../support/saving.ts'
import { startService, type TestService } from '../support/service.ts'

function subjects({ repository }: TestService): string[] {
  const log = execFileSync('git', ['-C', repository, 'log', '--format=%s'], { encoding: 'utf8' })
  return log.trim().split('\n')
}

const SHOP = documentWith('shop')
const SLOW = SHOP.replace('name="unit"', 'name="unit" timeout="60"')

function withPassword(password: string): string {
  return SHOP.replace('<git url=', `<svn username="u" password="${password}" url=`)
}

describe('the subject of a commit', () => {
  it('says what the save has changed', async () => {
    const service = await startService()

    await save(service, SHOP)
    await save(service, SLOW)
    await save(service, SLOW.replaceAll('shop', 'store'))

    expect(subjects(service)).toEqual([
      'Rename pipeline shop -> store (and 1 more)',
      'shop: stage test, job unit: timeout unset -> 60',
      expect.stringMatching(/^Add pipeline shop; add group first; /),
      'First configuration',
    ])
  })

  it('names a password that was sealed and does not show it', async () => {
    const service = await startService()
    await save(service, withPassword('xyzzy'))
    await save(service, withPassword('plugh'))

    expect(subjects(service)[0]).toBe(
      'shop: material svn https://example.org/shop.git: encryptedPassword changed',
    )
  })
})
