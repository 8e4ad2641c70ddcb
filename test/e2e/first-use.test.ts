// @module-tag long
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { documentWith } from '../support/documents/documents.ts'
import { tempDir } from '../support/disk/temp-folder.ts'
import { git } from '../support/git/git.ts'
import { start } from '../support/programs/start.ts'
import { callerOf } from '../support/service/service.ts'

const CAIRN = `node ${fileURLToPath(new URL('../../scripts/cairn.js', import.meta.url))}`
const SERVE = ['serve', '--port', '0', '--admin-password', 'a password']
const ADMIN = { as: 'admin:a password' }

/** A new service in a folder of its own, with the commands that its first page shows. */
async function newService() {
  const folder = tempDir()
  const program = start(SERVE, { cwd: folder })
  const url = await program.line(/^cairn ready (\S+)\n$/)
  const html = await (await callerOf(url)('/config', ADMIN)).text()
  const commands = [...html.matchAll(/<pre class="code">([^<]*)<\/pre>/g)].map(([, text = '']) =>
    text.replaceAll('&#39;', "'"),
  )
  return { folder, program, url, commands }
}

/** Runs the commands of a page in a shell, with the places of files put in. */
function runShown(commands: string, folder: string, files: Readonly<Record<string, string>>): void {
  const script = Object.entries(files).reduce((text, [from, to]) => {
    expect(text).toContain(from)
    return text.replaceAll(from, to)
  }, commands)
  execFileSync('bash', ['-c', `set -euo pipefail\n${script}`], {
    cwd: folder,
    stdio: 'pipe',
    env: { PATH: process.env['PATH'], HOME: folder },
  })
}

describe('the first page of a new service', { timeout: 120_000, tags: ['bash'] }, () => {
  it('has commands that push a configuration', async () => {
    const { folder, url, commands } = await newService()
    const helper = '!f() { echo username=admin; echo password=a password; }; f'
    git(folder, 'config', '--file', '.gitconfig', 'credential.helper', helper)
    for (const [name, value] of Object.entries({ name: 'Ana', email: 'ana@example.org' })) {
      git(folder, 'config', '--file', '.gitconfig', `user.${name}`, value)
    }
    const file = join(folder, 'mine.xml')
    writeFileSync(file, documentWith('shop'))

    runShown(commands.at(1) ?? '', folder, { '/path/to/your.xml': file })

    const history = await (await callerOf(url)('/config/feed.json', ADMIN)).text()
    expect(history).toContain('Our configuration')
    expect(await (await callerOf(url)('/pipelines', ADMIN)).text()).toContain('shop')
  })

  it('has a command that imports a history', async () => {
    const { folder, program, commands } = await newService()
    const source = join(folder, 'source')
    mkdirSync(source)
    git(source, 'init', '--quiet', '--initial-branch=main')
    writeFileSync(join(source, 'config.xml'), documentWith('shop'))
    git(source, 'add', '.')
    git(source, 'commit', '--quiet', '--message', 'Begin', '--author', 'Ana <ana@example.org>')
    program.process.kill('SIGTERM')
    await program.ended()

    const files = { 'cairn import': `${CAIRN} import`, '/path/to/config.git': source }
    runShown(commands.at(0) ?? '', folder, files)

    expect(git(join(folder, 'config-repo'), 'log', '--format=%an')).toContain('Ana')
  })
})
