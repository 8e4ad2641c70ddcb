import { execFile } from 'node:child_process'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { aConfiguration } from '../support/documents/a-configuration.ts'
import { tempDir } from '../support/disk/temp-folder.ts'
import { rootFile } from '../support/programs/root-file.ts'
import { save } from '../support/service/saving.ts'
import { startService } from '../support/service/service.ts'
import { makeToken } from '../support/service/tokens.ts'

const TEXT = readFileSync(rootFile('docs/client.md'), 'utf8')
const EXAMPLES = Array.from(TEXT.matchAll(/```sh\n([^]*?)```/g), ([, example = '']) => example)

describe('the document about the client', () => {
  it('has examples that all work', { timeout: 60_000, tags: ['long', 'bash'] }, async () => {
    const service = await startService()
    await save(service, aConfiguration({ groups: [{ pipelines: [{ name: 'hello' }] }] }))
    const cwd = tempDir()
    writeFileSync(join(cwd, 'token'), (await makeToken(service, 'admin')).token)
    symlinkSync(rootFile('scripts/cairn.js'), join(cwd, 'cairn'))
    const script = EXAMPLES.join('\n').replaceAll('http://127.0.0.1:8153', service.url)

    const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], {
      cwd,
      env: { PATH: `${cwd}:${process.env['PATH']}`, HOME: cwd },
    })

    expect(EXAMPLES).toHaveLength(3)
    expect(stdout).toContain('<pipeline name="hello">')
    expect(stdout).toContain('The changes of r3 are undone')
  })
})

describe('the document about assistants', () => {
  it('has examples that work', { timeout: 60_000, tags: ['bash', 'curl'] }, async () => {
    const text = readFileSync(rootFile('docs/mcp.md'), 'utf8')
    const [example = ''] = Array.from(text.matchAll(/```sh\n([^]*?)```/g), ([, each = '']) => each)
    const service = await startService()
    const cwd = tempDir()
    symlinkSync(rootFile('scripts/cairn.js'), join(cwd, 'cairn'))

    const script = example.replaceAll('http://127.0.0.1:8153', service.url)
    const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], {
      cwd,
      env: {
        PATH: `${cwd}:${process.env['PATH']}`,
        HOME: cwd,
        CAIRN_STATE_DIR: join(service.folder, 'state'),
      },
    })

    expect(stdout).toContain('"name":"propose"')
  })
})
