import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDir } from '../support/disk/temp-folder.ts'
import { documentWith } from '../support/documents/documents.ts'
import { commitFile, git } from '../support/git/git.ts'
import { command } from '../support/programs/command.ts'

/** Commits a file to a new repository in a folder. */
function commitTo(folder: string, name: string, text: string): void {
  git(folder, 'init', '--quiet', '--initial-branch=main')
  writeFileSync(join(folder, name), text)
  commitFile(folder, { name, message: 'First' })
}

const FOLDERS: readonly (readonly [what: string, fill: (folder: string) => void, why: RegExp])[] = [
  [
    'a repository of something else',
    (folder) => commitTo(folder, 'program.c', 'int main;'),
    /No commit of refs\/heads\/main has a valid configuration in .*config\.xml$/m,
  ],
  [
    'a repository whose file is not valid',
    (folder) => commitTo(folder, 'config.xml', '<project />'),
    /config\.xml is not valid: /,
  ],
  [
    'a file that is not valid',
    (folder) => writeFileSync(join(folder, 'config.xml'), '<project />'),
    /config\.xml is not valid: /,
  ],
  [
    'other files',
    (folder) => writeFileSync(join(folder, 'notes.txt'), ''),
    /is not a git repository and holds other files: notes\.txt$/m,
  ],
  [
    'a bare repository',
    (folder) => git(folder, 'init', '--quiet', '--bare'),
    /is a bare repository: it has no place for the live file$/m,
  ],
]

describe.each(FOLDERS)('a folder that has %s', (_what, fill, why) => {
  it.each(['serve', 'import'])(
    'is left as it is by cairn %s, which makes nothing',
    async (name) => {
      const folder = tempDir()
      const [repository, state] = [join(folder, 'config-repo'), join(folder, 'state')]
      mkdirSync(repository)
      fill(repository)
      const source = join(folder, 'source')
      mkdirSync(source)
      commitTo(source, 'config.xml', documentWith('one'))
      const before = readdirSync(repository, { recursive: true })
      const words = name === 'import' ? ['import', source] : ['serve', '--port', '0']
      const places = ['--config-repo', repository, '--state-dir', state]

      const { code, stderr } = await command([...words, ...places])

      expect(code).toBe(1)
      expect(stderr).toMatch(why)
      expect(readdirSync(repository, { recursive: true })).toEqual(before)
      expect(existsSync(state)).toBe(false)
    },
  )
})
