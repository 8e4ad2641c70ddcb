import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tempDir } from '../support/disk/temp-folder.ts'
import { documentWith } from '../support/documents/documents.ts'
import { rootFile } from '../support/programs/root-file.ts'
import { save } from '../support/service/saving.ts'
import { ADMIN_PASSWORD, startService } from '../support/service/service.ts'

const COLUMNS = 80
const SHOWN = { timeout: 30_000 }

/** A bash in a terminal of 80 columns, with the program in its PATH. */
class Terminal {
  readonly #socket: string

  constructor() {
    const folder = tempDir()
    this.#socket = join(folder, 'tmux')
    const bin = join(folder, 'bin')
    mkdirSync(bin)
    symlinkSync(rootFile('scripts/cairn.js'), join(bin, 'cairn'))
    const bash = ['bash', '--norc', '--noprofile', '-i']
    const variables = [`PATH=${bin}:${process.env['PATH'] ?? ''}`, `HOME=${folder}`, 'PS1=$ ']
    const size = ['-x', `${COLUMNS}`, '-y', '24']
    this.#tmux(
      '-f',
      '/dev/null',
      'new-session',
      '-d',
      '-c',
      folder,
      ...size,
      'env',
      ...variables,
      ...bash,
    )
    onTestFinished(() => void this.#tmux('kill-server'))
  }

  /** Types keys: a text as it is, or the name of a key such as `Tab`. */
  type(...keys: readonly string[]): void {
    this.#tmux('send-keys', ...keys)
  }

  /** The lines that are seen. */
  lines(): readonly string[] {
    return this.#tmux('capture-pane', '-p')
      .split('\n')
      .map((line) => line.trimEnd())
      .filter((line) => line !== '')
  }

  #tmux(...args: readonly string[]): string {
    return execFileSync('tmux', ['-S', this.#socket, ...args], { encoding: 'utf8' })
  }
}

describe('the command line in a terminal of 80 columns', { tags: ['tmux', 'bash'] }, () => {
  it('completes words, settings and files in bash', { timeout: 120_000 }, async () => {
    const terminal = new Terminal()
    terminal.type(
      'eval "$(cairn completion bash)"; touch my-document.xml; clear; echo ready',
      'Enter',
    )
    await expect.poll(() => terminal.lines(), SHOWN).toContain('ready')

    terminal.type('cairn ag', 'Tab', 'in', 'Tab', 'rev', 'Tab', 'C-a', '# ', 'Enter')
    terminal.type('cairn serve --adv', 'Tab', 'C-a', '# ', 'Enter')
    terminal.type('cairn plan my-', 'Tab', 'C-a', '# ', 'Enter')
    terminal.type('cairn hist', 'Tab', '--ent', 'Tab', 'C-a', '# ', 'Enter')

    await expect
      .poll(() => terminal.lines().filter((line) => line.startsWith('$ # ')), SHOWN)
      .toEqual([
        '$ # cairn agent invite revoke',
        '$ # cairn serve --advertise',
        '$ # cairn plan my-document.xml',
        '$ # cairn history --entity',
      ])
  })

  it(
    'shows a revision on one line, and no wider',
    { timeout: 120_000, tags: ['long'] },
    async () => {
      const service = await startService()
      await save(service, documentWith(`a${'-very'.repeat(30)}-long-name`))
      const terminal = new Terminal()
      const password = join(tempDir(), 'password')
      writeFileSync(password, ADMIN_PASSWORD)
      const asked = `--server ${service.url} --user admin --password-file ${password}`
      terminal.type(`clear; PAGER= cairn history ${asked}; echo "done"`, 'Enter')

      await expect.poll(() => terminal.lines(), SHOWN).toContain('done')
      const revisions = terminal.lines().filter((line) => /^r\d /.test(line))
      expect(revisions).toHaveLength(2)
      expect(revisions[0]).toMatch(/…$/)
      expect(revisions[0]).toHaveLength(COLUMNS)
    },
  )
})
