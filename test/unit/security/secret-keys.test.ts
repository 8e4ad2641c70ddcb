import {
  chmod,
  lstat,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { addSecretKey, openSecretKeys } from '../../../src/security/secret-keys.ts'

let folder: string
let file: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cairn-keys-'))
  file = join(folder, 'secret.keys')
})
afterEach(() => rm(folder, { recursive: true }))

async function modeOf(path: string): Promise<number> {
  return (await stat(path)).mode & 0o777
}

describe('the key file', () => {
  it('is made once, for its owner alone, and read after that', async () => {
    const [made] = await openSecretKeys(file)
    const again = await openSecretKeys(file)

    expect(made).toHaveLength(32)
    expect(again).toEqual([made])
    expect(await modeOf(file)).toBe(0o600)
    expect(await readdir(folder)).toEqual(['secret.keys'])
  })

  it('holds one key even when many make it at once', async () => {
    const opened = await Promise.all(Array.from({ length: 8 }, () => openSecretKeys(file)))

    expect(new Set(opened.map((keys) => Buffer.from(keys[0] ?? []).toString('hex'))).size).toBe(1)
    expect(await readdir(folder)).toEqual(['secret.keys'])
  })

  it('keeps older keys behind a new one', async () => {
    const [old] = await openSecretKeys(file)

    const added = await addSecretKey(file)

    expect(added).toHaveLength(2)
    expect(added[1]).toEqual(old)
    expect(await openSecretKeys(file)).toEqual(added)
    expect(await modeOf(file)).toBe(0o600)
  })

  it('is made and replaced where a link leads', async () => {
    await symlink('kept/keys', file)
    const [made] = await openSecretKeys(file)

    const added = await addSecretKey(file)

    expect(added[1]).toEqual(made)
    expect((await lstat(file)).isSymbolicLink()).toBe(true)
    expect(await openSecretKeys(join(folder, 'kept', 'keys'))).toEqual(added)
    expect(await readdir(join(folder, 'kept'))).toEqual(['keys'])
  })

  it('is closed to others when it was left open', async () => {
    await openSecretKeys(file)
    await chmod(file, 0o644)

    await openSecretKeys(file)

    expect(await modeOf(file)).toBe(0o600)
  })

  it.each(['', '# no key\n', 'c2hvcnQ=\n'])('is left alone when it holds %j', async (text) => {
    await writeFile(file, text)

    await expect(openSecretKeys(file)).rejects.toThrow('does not hold keys')
    expect(await readFile(file, 'utf8')).toBe(text)
  })
})
