import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { USAGE } from '../../src/cli/usage.ts'
import { tempDir } from '../support/disk/temp-folder.ts'
import { documentWith } from '../support/documents/documents.ts'
import { rootFile } from '../support/programs/root-file.ts'
import { save } from '../support/service/saving.ts'
import { ADMIN_PASSWORD, startService } from '../support/service/service.ts'
import { manualPage } from '../../src/cli/commands/completion.ts'

const COLUMNS = 80
const SHOWN = { timeout: 30_000 }

interface Shell {
  readonly name: string
  readonly command: readonly string[]
  /** The line of the client's documentation, and before it the prompt `$ ` and comments. */
  readonly begin: string
}

const BASH: Shell = {
  name: 'bash',
  command: ['bash', '--norc', '--noprofile', '-i'],
  begin: 'eval "$(cairn completion bash)"',
}
const ZSH: Shell = {
  name: 'zsh',
  command: ['zsh', '-f', '-i'],
  begin: 'PS1="$ "; bindkey -e; setopt interactive_comments; eval "$(cairn completion zsh)"',
}
const FISH: Shell = {
  name: 'fish',
  command: ['fish', '--no-config', '-i'],
  begin: "function fish_prompt; echo -n '$ '; end; cairn completion fish | source",
}

/** A shell in a terminal of 80 columns, with the program in its PATH. */
class Terminal {
  readonly #socket: string

  constructor({ command }: Shell) {
    const folder = tempDir()
    this.#socket = join(folder, 'tmux')
    const bin = join(folder, 'bin')
    mkdirSync(bin)
    symlinkSync(rootFile('scripts/cairn.js'), join(bin, 'cairn'))
    const variables = [`PATH=${bin}:${process.env['PATH'] ?? ''}`, `HOME=${folder}`, 'PS1=$ ']
    const size = ['-x', `${COLUMNS}`, '-y', '24']
    const started = ['env', ...variables, ...command]
    this.#tmux('-f', '/dev/null', 'new-session', '-d', '-c', folder, ...size, ...started)
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

describe.each([BASH, ZSH, FISH])(
  'the command line of $name',
  { tags: ['tmux', 'bash', 'fish', 'zsh'] },
  (shell) => {
    it('completes words, settings and files', { timeout: 120_000 }, async () => {
      const terminal = new Terminal(shell)
      terminal.type(`${shell.begin}; touch inbox.xml; clear; echo ready`, 'Enter')
      await expect.poll(() => terminal.lines()[0], SHOWN).toBe('ready')

      for (const keys of [
        ['cairn ag', 'Tab', 'in', 'Tab', 'rev', 'Tab'],
        ['cairn serve --adv', 'Tab'],
        ['cairn plan --json in', 'Tab'],
        ['cairn hist', 'Tab', '--ent', 'Tab'],
        // The value of a setting is no word of the command, and may be a file.
        ['cairn agent --work-dir in', 'Tab'],
        ['cairn agent --work-dir=in', 'Tab'],
        ['cairn agent --server http://[::1]:80 in', 'Tab', 'rev', 'Tab'],
        ['cairn user --state-dir list --users-file=add pas', 'Tab'],
      ])
        terminal.type(...keys, 'C-a', '# ', 'Enter')

      await expect
        .poll(() => terminal.lines().filter((line) => line.startsWith('$ # ')), SHOWN)
        .toEqual([
          '$ # cairn agent invite revoke',
          '$ # cairn serve --advertise',
          '$ # cairn plan --json inbox.xml',
          '$ # cairn history --entity',
          '$ # cairn agent --work-dir inbox.xml',
          '$ # cairn agent --work-dir=inbox.xml',
          '$ # cairn agent --server http://[::1]:80 invite revoke',
          '$ # cairn user --state-dir list --users-file=add passwd',
        ])
    })
  },
)

it('the manual page is set without a warning, in 80 columns', { tags: ['man'] }, () => {
  const page = spawnSync('man', ['--warnings', '--local-file', '-'], {
    input: `${manualPage('1.2.3').join('\n')}\n`,
    env: { ...process.env, MANWIDTH: `${COLUMNS}`, LC_ALL: 'C.UTF-8' },
    encoding: 'utf8',
  })

  expect([page.status, page.stderr]).toEqual([0, ''])
  const widest = Math.max(...page.stdout.split('\n').map((line) => line.length))
  expect(widest).toBeLessThanOrEqual(COLUMNS)
  for (const { calls } of Object.values(USAGE))
    expect(page.stdout).toContain(`       cairn ${calls[0]}\n`)
})

describe('the command line in a terminal of 80 columns', { tags: ['tmux', 'bash'] }, () => {
  it(
    'shows a revision on one line, and no wider',
    { timeout: 120_000, tags: ['long'] },
    async () => {
      const service = await startService()
      await save(service, documentWith(`a${'-very'.repeat(30)}-long-name`))
      const terminal = new Terminal(BASH)
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
