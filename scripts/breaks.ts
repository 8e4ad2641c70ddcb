import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import type { Break } from '../test/breaks/break.ts'
import { BREAKS } from '../test/breaks/breaks.ts'

/**
 * Breaks the code on purpose, one place at a time in a copy of it, and names the test that notices.
 * `npm run breaks -- WORD` takes the breaks whose file, behaviour or test has the word. Ends with 1
 * when a break is passed over, or a test does not pass on the code as it is.
 */

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const LEFT_OUT = ['.git', 'node_modules']
const AT_ONCE = 2
const SHOWN = 100

const Report = z.object({
  testResults: z.array(
    z.object({
      message: z.string(),
      assertionResults: z.array(z.object({ status: z.string(), fullName: z.string() })),
    }),
  ),
})

/** The outcome of running some test files. */
interface Run {
  readonly passed: number
  readonly failed: readonly string[]
}

const [word = ''] = process.argv.slice(2)
const chosen = BREAKS.filter(({ file, behaviour, test }) =>
  [file, behaviour, test].some((text) => text.includes(word)),
)
if (chosen.length === 0) throw new Error(`no break has "${word}"`)

const folder = mkdtempSync(join(tmpdir(), 'cairn-breaks-'))
const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const each of running) each.kill()
  rmSync(folder, { recursive: true, force: true })
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))

process.exitCode = (await everyTestPasses()) && (await everyBreakIsNoticed()) ? 0 : 1

/** A test that fails anyway notices nothing. */
async function everyTestPasses(): Promise<boolean> {
  const tests = [...new Set(chosen.map(({ test }) => test))]
  const { failed } = await runTests(copyOfCode('whole'), tests)
  for (const name of failed) say(`FAILS UNBROKEN  ${name}`)
  return failed.length === 0
}

async function everyBreakIsNoticed(): Promise<boolean> {
  const waiting = [...chosen]
  const unnoticed: Break[] = []
  const work = async (_: unknown, index: number) => {
    const copy = copyOfCode(`broken-${index}`)
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      if (!(await isNoticed(copy, next))) unnoticed.push(next)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  say(`${chosen.length - unnoticed.length} of ${chosen.length} breaks were noticed`)
  return unnoticed.length === 0
}

async function isNoticed(copy: string, broken: Break): Promise<boolean> {
  const { file, behaviour, find, replace, test } = broken
  const path = join(copy, 'src', file)
  const whole = readFileSync(path, 'utf8')
  if (whole.split(find).length !== 2) {
    say(`NOT THERE ONCE  ${behaviour}: ${find} in src/${file}`)
    return false
  }
  writeFileSync(
    path,
    whole.replace(find, () => replace),
  )
  execFileSync(process.execPath, [join(copy, 'scripts/build.js'), 'unchecked'])
  const { passed, failed } = await runTests(copy, [test])
  writeFileSync(path, whole)
  const [first] = failed
  if (first === undefined) {
    say(`PASSED OVER     ${behaviour}: src/${file}, test/${test} (${passed} passed)`)
    return false
  }
  const others = failed.length > 1 ? ` and ${failed.length - 1} more` : ''
  say(`noticed         ${behaviour}\n                test/${test}: ${short(first)}${others}`)
  return true
}

function copyOfCode(name: string): string {
  const copy = join(folder, name)
  const skipped = LEFT_OUT.map((each) => `--exclude=./${each}`)
  execFileSync('mkdir', ['-p', copy])
  const tar = execFileSync('tar', ['-C', ROOT, ...skipped, '-cf', '-', '.'], {
    maxBuffer: 2 ** 30,
  })
  execFileSync('tar', ['-C', copy, '-xf', '-'], { input: tar })
  execFileSync('ln', ['-s', join(ROOT, 'node_modules'), join(copy, 'node_modules')])
  return copy
}

async function runTests(copy: string, tests: readonly string[]): Promise<Run> {
  const report = join(copy, 'breaks.json')
  rmSync(report, { force: true })
  const files = tests.map((test) => join('test', test))
  const flags = ['run', '--config', 'test/vitest.config.ts', '--reporter=json']
  const vitest = spawn(
    process.execPath,
    [join(ROOT, 'node_modules/vitest/vitest.mjs'), ...flags, `--outputFile=${report}`, ...files],
    { cwd: copy, stdio: ['ignore', 'ignore', 'inherit'] },
  )
  running.add(vitest)
  await once(vitest, 'close')
  running.delete(vitest)
  return read(Report.parse(JSON.parse(readFileSync(report, 'utf8'))))
}

/** A file that cannot even be loaded says nothing about its tests. */
function read({ testResults }: z.infer<typeof Report>): Run {
  const unloaded = testResults.find(({ assertionResults }) => assertionResults.length === 0)
  if (unloaded) throw new Error(`a test file was not loaded: ${unloaded.message}`)
  const results = testResults.flatMap(({ assertionResults }) => assertionResults)
  return {
    passed: results.filter(({ status }) => status === 'passed').length,
    failed: results.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName),
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

function short(text: string): string {
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text
}
