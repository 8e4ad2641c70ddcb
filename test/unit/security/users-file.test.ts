import { createHash } from 'node:crypto'
import { lstatSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { isPasswordOf } from '../../../src/security/password.ts'
import {
  addUser,
  parseUsers,
  readUsers,
  removeUser,
  writeUser,
} from '../../../src/security/users.ts'
import { UsersFile } from '../../../src/security/users-file.ts'
import { openProcessLock } from '../../../src/storage/process-lock.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'

const SHA_LINE = `old:{SHA}${createHash('sha1').update('secret').digest('base64')}`

describe('the users file', () => {
  it('keeps a written user with a bcrypt hash, readable by its owner only', async () => {
    const file = join(tempDir(), 'users')

    await writeUser(new UsersFile(file), { username: 'ana', password: 'hunter2 and more' })

    const { users } = await readUsers(new UsersFile(file))
    expect(
      isPasswordOf({ stored: users.get('ana') ?? null, password: 'hunter2 and more', cost: 10 }),
    ).toBe(true)
    expect(
      isPasswordOf({ stored: users.get('ana') ?? null, password: 'hunter3 and more', cost: 10 }),
    ).toBe(false)
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it('changes a password and leaves every other line as it is', async () => {
    const file = join(tempDir(), 'users')
    writeFileSync(file, `# people\n${SHA_LINE}\n`)
    await writeUser(new UsersFile(file), { username: 'ana', password: 'one and more' })

    await writeUser(new UsersFile(file), { username: 'ana', password: 'two and more' })

    const lines = readFileSync(file, 'utf8').split('\n')
    const { users } = await readUsers(new UsersFile(file))
    expect(lines.slice(0, 2)).toEqual(['# people', SHA_LINE])
    expect(
      isPasswordOf({ stored: users.get('ana') ?? null, password: 'two and more', cost: 10 }),
    ).toBe(true)
  })

  it.each(['latin1', 'utf8'] as const)(
    'keeps the bytes of the other lines in %s, their endings and blank ones',
    async (encoding) => {
      const file = join(tempDir(), 'users')
      const ana = { username: 'ana', password: 'one and more', cost: 4 }
      const note = Buffer.concat([Buffer.from('# '), Buffer.from('jürgen größe', encoding)])
      const rest = Buffer.concat([note, Buffer.from(`\r\n\r\n${SHA_LINE}\r\n`)])
      writeFileSync(file, rest)

      await writeUser(new UsersFile(file), ana)
      const added = readFileSync(file)
      await writeUser(new UsersFile(file), { ...ana, password: 'two and more' })
      const changed = readFileSync(file)
      await removeUser(new UsersFile(file), 'ana')

      expect(added.subarray(0, rest.length)).toEqual(rest)
      expect(changed.subarray(0, rest.length)).toEqual(rest)
      expect(changed.subarray(rest.length)).not.toEqual(added.subarray(rest.length))
      expect(readFileSync(file)).toEqual(rest)
    },
  )

  it('is replaced where a link leads, also where nothing was yet', async () => {
    const folder = tempDir()
    const [link, target] = [join(folder, 'users'), join(folder, 'kept', 'users')]
    symlinkSync('kept/users', link)
    const [ana, ben] = [
      { username: 'ana', password: 'one and more', cost: 4 },
      { username: 'ben', password: 'two and more', cost: 4 },
    ]

    await Promise.all([addUser(new UsersFile(link), ana), addUser(new UsersFile(target), ben)])

    expect(lstatSync(link).isSymbolicLink()).toBe(true)
    const { users } = await readUsers(new UsersFile(target))
    expect([...users.keys()].toSorted()).toEqual(['ana', 'ben'])
  })

  it('removes a user, and says when there was none', async () => {
    const file = join(tempDir(), 'users')
    await writeUser(new UsersFile(file), { username: 'ana', password: 'one and more' })

    expect(await removeUser(new UsersFile(file), 'ana')).toBe(true)
    expect(await removeUser(new UsersFile(file), 'ana')).toBe(false)
    expect((await readUsers(new UsersFile(file))).users.size).toBe(0)
  })

  it('reads {SHA} hashes of older tools', async () => {
    const { users } = parseUsers(SHA_LINE)

    expect(isPasswordOf({ stored: users.get('old') ?? null, password: 'secret', cost: 10 })).toBe(
      true,
    )
    expect(isPasswordOf({ stored: users.get('old') ?? null, password: 'Secret', cost: 10 })).toBe(
      false,
    )
  })

  it('reads a file with the marks of Windows, and keeps its lines', async () => {
    const file = join(tempDir(), 'users')
    writeFileSync(file, `\uFEFF${SHA_LINE}\r\n${SHA_LINE.replace('old', 'other')}`)
    const store = new UsersFile(file)

    await writeUser(store, { username: 'new', password: 'a password' })

    expect([...(await readUsers(store)).users.keys()]).toEqual(['old', 'other', 'new'])
  })

  it('reports lines it cannot use with their number and keeps the others', () => {
    const tooCheap = `$2b$03$${'a'.repeat(53)}`
    const tooDear = `$2b$99$${'a'.repeat(53)}`
    const { users, problems } = parseUsers(
      `nonsense\n\n${SHA_LINE}\nbob:plain\ncleo:${tooCheap}\ndan:${tooDear}`,
    )

    expect([...users.keys()]).toEqual(['old'])
    expect(problems.map(({ line }) => line)).toEqual([1, 4, 5, 6])
  })

  it('keeps the users that are added at once', async () => {
    const file = join(tempDir(), 'users')
    const names = Array.from({ length: 6 }, (_, n) => `user${n}`)

    await Promise.all(
      names.map((username) => addUser(new UsersFile(file), { username, password: 'a password' })),
    )

    const { users } = await readUsers(new UsersFile(file))
    expect([...users.keys()].toSorted()).toEqual(names)
  })

  it('is changed in the order in which that was asked for, however many ask', async () => {
    const users = new UsersFile(join(tempDir(), 'users'))
    const asked = Array.from({ length: 12 }, (_, place) => place)
    const done: number[] = []

    await Promise.all(
      asked.map((place) =>
        users.change(() => {
          done.push(place)
          return null
        }),
      ),
    )

    expect(done).toEqual(asked)
  })

  it('says without a path that another process keeps it locked', async () => {
    const folder = tempDir()
    await using _ = await openProcessLock(join(folder, 'users.lock'))
    vi.useFakeTimers({ toFake: ['performance'] })
    const clock = setInterval(() => vi.advanceTimersByTime(31_000))
    onTestFinished(() => {
      clearInterval(clock)
      vi.useRealTimers()
    })

    const change = new UsersFile(join(folder, 'users')).change(() => null)

    await expect(change).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/^Another process keeps the users file users locked/),
    })
  })

  it('refuses a user whose name differs from another only in case', async () => {
    const file = join(tempDir(), 'users')
    await addUser(new UsersFile(file), { username: 'Ana', password: 'one and more' })

    await expect(
      addUser(new UsersFile(file), { username: 'ana', password: 'two and more' }),
    ).rejects.toMatchObject({
      code: 'name-in-use',
      message: 'There is a user Ana already',
    })
    expect([...(await readUsers(new UsersFile(file))).users.keys()]).toEqual(['Ana'])
  })

  it('uses the first of two names that differ only in case and reports the other', () => {
    const { users, problems } = parseUsers(`${SHA_LINE}\n${SHA_LINE.replace('old', 'OLD')}`)

    expect([...users.keys()]).toEqual(['old'])
    expect(problems).toEqual([
      { line: 2, message: 'The user OLD differs from the user old only in case' },
    ])
  })

  it.each(['', 'a:b', '#x', 'a\nb', ' a'])('refuses the user name %j', async (username) => {
    const file = join(tempDir(), 'users')

    await expect(
      writeUser(new UsersFile(file), { username, password: 'a password' }),
    ).rejects.toMatchObject({
      code: 'malformed-request',
    })
  })
})
