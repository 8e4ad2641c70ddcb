import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { SecretFiles } from '../../../src/security/secret-files.ts'
import { shared } from '../../support/programs/at-end.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'

const secret = (config: string, key: string) => ({ config, key })

function keepIn(dir: string, name: string, content: string | Buffer): void {
  writeFileSync(join(dir, 'vault', name), content)
}

const scene = shared(async () => {
  const folder = tempDir()
  const dir = join(folder, 'secrets')
  const keep = (name: string, content: string | Buffer) => keepIn(dir, name, content)
  mkdirSync(join(dir, 'vault', 'folder'), { recursive: true })
  writeFileSync(join(folder, 'outside'), 'outside')
  keep('token', 's3cret\n')
  keep('windows', 's3cret\r\n')
  keep('lines', 'one\ntwo\n\n')
  keep('.dockerconfigjson', '{}')
  keep('largest', 'x'.repeat(65_536))
  keep('larger', 'x'.repeat(65_537))
  keep('empty', '')
  keep('blank', '\n')
  keep('bytes', Buffer.from([0xff, 0xfe]))
  keep('nul', 'a\0b')
  symlinkSync(join(folder, 'outside'), join(dir, 'vault', 'leading-out'))
  symlinkSync(folder, join(dir, 'up'))
  mkdirSync(join(dir, 'mount', '..2026_11'), { recursive: true })
  writeFileSync(join(dir, 'mount', '..2026_11', 'token'), 'mounted')
  symlinkSync('..2026_11', join(dir, 'mount', '..data'))
  symlinkSync(join('..data', 'token'), join(dir, 'mount', 'token'))
  return { dir, files: new SecretFiles(dir) }
})

describe('secrets in files', () => {
  it.each([
    ['vault', 'token', 's3cret'],
    ['vault', 'windows', 's3cret'],
    ['vault', 'lines', 'one\ntwo\n'],
    ['vault', '.dockerconfigjson', '{}'],
    ['vault', 'largest', 'x'.repeat(65_536)],
    ['mount', 'token', 'mounted'],
  ])('are read: %s/%s', async (config, key, value) => {
    expect(scene().files.whyMissing(secret(config, key))).toBe(null)
    expect(await scene().files.read(secret(config, key))).toBe(value)
  })

  it.each([
    ['vault', 'none', 'there is no file vault/none below --secrets-dir'],
    ['none', 'token', 'there is no file none/token below --secrets-dir'],
    ['vault', 'folder', 'there is no file vault/folder below --secrets-dir'],
    ['vault', 'token/more', 'cannot be below --secrets-dir by that name'],
    ['vault', '../../outside', 'cannot be below --secrets-dir by that name'],
    ['..', 'outside', 'cannot be below --secrets-dir by that name'],
    ['.', 'token', 'cannot be below --secrets-dir by that name'],
    ['vault', '..', 'cannot be below --secrets-dir by that name'],
    ['vault', '', 'cannot be below --secrets-dir by that name'],
    ['vault', 'a\\b', 'cannot be below --secrets-dir by that name'],
    ['vault', 'a\0b', 'cannot be below --secrets-dir by that name'],
    ['vault', 'k'.repeat(256), 'cannot be below --secrets-dir by that name'],
    ['mount', '..data', 'cannot be below --secrets-dir by that name'],
    ['vault', 'leading-out', 'leads out of --secrets-dir'],
    ['up', 'outside', 'leads out of --secrets-dir'],
    ['vault', 'larger', 'has 65537 bytes, and at most 65536 are read'],
    ['vault', 'empty', 'is empty'],
    ['vault', 'blank', 'is empty'],
    ['vault', 'bytes', 'is not text'],
    ['vault', 'nul', 'is not text'],
  ])('are not read: %s/%s', async (config, key, reason) => {
    await expect(scene().files.read(secret(config, key))).rejects.toThrow(reason)
  })

  it('say nothing of where they are', () => {
    expect(scene().files.whyMissing(secret('vault', 'none'))).not.toContain(scene().dir)
  })

  it('are read anew for every use', async () => {
    keepIn(scene().dir, 'rotated', 'old')
    const before = await scene().files.read(secret('vault', 'rotated'))
    keepIn(scene().dir, 'rotated.new', 'new')
    renameSync(join(scene().dir, 'vault', 'rotated.new'), join(scene().dir, 'vault', 'rotated'))

    expect([before, await scene().files.read(secret('vault', 'rotated'))]).toEqual(['old', 'new'])
  })

  it('have a folder for each secret config', () => {
    expect(scene().files.whyNone('vault')).toBe(null)
    expect(scene().files.whyNone('none')).toBe('there is no folder none below --secrets-dir')
    expect(scene().files.whyNone('up')).toBe('the folder up leads out of --secrets-dir')
  })

  it('say so where they cannot be read', async () => {
    symlinkSync('closed', join(scene().dir, 'vault', 'closed'))

    await expect(scene().files.read(secret('vault', 'closed'))).rejects.toThrow(
      'cannot be read: a symbolic link leads to itself',
    )
  })
})
