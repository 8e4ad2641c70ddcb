// @module-tag long
import { once } from 'node:events'
import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDir } from '../support/disk/temp-folder.ts'
import { CommandOfNpm } from '../support/programs/command-of-npm.ts'
import { rootFile } from '../support/programs/root-file.ts'
import { until } from '../support/programs/until.ts'
import { callerOf } from '../support/service/service.ts'

const COPIED = ['package.json', 'tsconfig.json', 'scripts', 'src', 'dist', '.types']

/**
 * The sources with their last build and what a check of their types has left, if there was one, to be changed;
 * packages are those of the checkout.
 */
function copyOfCheckout(): string {
  const copy = tempDir()
  for (const name of COPIED.filter((each) => existsSync(rootFile(each)))) {
    cpSync(rootFile(name), join(copy, name), { recursive: true, preserveTimestamps: true })
  }
  symlinkSync(rootFile('node_modules'), join(copy, 'node_modules'))
  findPackagesFrom(copy)
  return copy
}

/** Renames the packages in the results of the last check of types: it would find others, and check everything anew. */
function findPackagesFrom(copy: string): void {
  const types = join(copy, '.types')
  const left = existsSync(types) ? readdirSync(types) : []
  for (const file of left.map((name) => join(types, name))) {
    const place = relative(types, rootFile('node_modules'))
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('"../node_modules', `"${place}`))
  }
}

function change(file: string, from: string, to: string): void {
  const text = readFileSync(file, 'utf8')
  expect(text).toContain(from)
  writeFileSync(file, text.replace(from, to))
}

/** A build on a busy machine takes long. */
const BUILD_TIMEOUT_MS = 200_000

describe('npm run dev', { timeout: 600_000 }, () => {
  it('waits after a change that does not compile, builds and starts again after the next, and ends', async () => {
    const copy = copyOfCheckout()
    const source = join(copy, 'src/cli/commands/serve.ts')
    const dev = new CommandOfNpm('npm', ['run', 'dev', '--', '--port', '0'], copy)
    const says = async (text: string) => {
      await expect.poll(() => dev.output, { timeout: BUILD_TIMEOUT_MS }).toContain(text)
    }
    await says('cairn ready http')

    change(source, 'say(`cairn ready', 'tell(`cairn changed')
    await says("Cannot find name 'tell'")
    change(source, 'tell(`cairn changed', 'say(`cairn changed')
    await says('cairn changed http')

    const [, url = ''] = /cairn changed (\S+)/.exec(dev.output) ?? []
    const answer = await callerOf(url)('/health', { as: null })
    expect(answer.status).toBe(200)
    dev.process.kill('SIGTERM')
    await once(dev.process, 'close')
    await until(() => dev.alive().length === 0)
  })
})
