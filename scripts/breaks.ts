import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import type { Break } from '../test/breaks/break.ts'
import { BREAKS } from '../test/breaks/breaks.ts'

/**
 * Breaks the code on purpose, one place at a time in a copy of it, and names the test that notices.
 * `npm run breaks -- WORD` takes the breaks whose file, behaviour or test has the word. Ends with 1
 * when a break is passed over, or a test does not pass on the code as it is. A break that the compiler
 * refuses shows nothing about tests; what it leaves unused does not matter.
 */

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const LEFT_OUT = ['.git', 'node_modules']
const AT_ONCE = 2
const SHOWN = 100
const PROJECTS = ['tsconfig.json', 'src/pages/tsconfig.client.json']
const COMPILER = join(ROOT, 'node_modules/typescript/bin/tsc')
const MAY_BE_UNUSED = ['--noUnusedLocals', 'false', '--noUnusedParameters', 'false']

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

/** No test was run. */
class NotRun extends Error {}

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

const isPassed = everyBreakCompiles() && (await everyTestPasses()) && (await everyBreakIsNoticed())
process.exitCode = isPassed ? 0 : 1

/** All breaks are made at once: the compiler takes as long for one as for all. */
function everyBreakCompiles(): boolean {
  const copy = copyOfCode('all-broken')
  for (const { file, find, replace } of chosen) {
    const path = join(copy, 'src', file)
    writeFileSync(
      path,
      readFileSync(path, 'utf8').replace(find, () => replace),
    )
  }
  const faults = PROJECTS.flatMap((project) => {
    const flags = ['-p', project, '--pretty', 'false', ...MAY_BE_UNUSED]
    return outputOfFailure(copy, COMPILER, ...flags) ?? []
  })
  for (const fault of faults) say(`DOES NOT COMPILE\n${fault}`)
  return faults.length === 0
}

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
  try {
    build(copy)
    return tell(broken, await runTests(copy, [test]))
  } catch (error) {
    if (!(error instanceof NotRun)) throw error
    say(`PROVES NOTHING  ${behaviour}: src/${file}, test/${test}: ${error.message}`)
    return false
  } finally {
    writeFileSync(path, whole)
  }
}

/** @throws {NotRun} where no program comes of the broken code. */
function build(copy: string): void {
  const errors = outputOfFailure(copy, 'scripts/build.js', 'unchecked')
  if (errors !== null) throw new NotRun(`it cannot be built: ${errors}`)
}

function tell({ behaviour, file, test }: Break, { passed, failed }: Run): boolean {
  const [first] = failed
  if (first === undefined) {
    say(`PASSED OVER     ${behaviour}: src/${file}, test/${test} (${passed} passed)`)
    return false
  }
  const others = failed.length > 1 ? ` and ${failed.length - 1} more` : ''
  say(`noticed         ${behaviour}\n                test/${test}: ${short(first)}${others}`)
  return true
}

/** The output of a program of Node that fails; null where it succeeds. */
function outputOfFailure(cwd: string, ...line: readonly string[]): string | null {
  const { status, stdout, stderr } = spawnSync(process.execPath, line, { cwd, encoding: 'utf8' })
  return status === 0 ? null : `${stdout}${stderr}`.trim()
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
  if (!existsSync(report)) throw new NotRun('the tests do not start')
  return read(Report.parse(JSON.parse(readFileSync(report, 'utf8'))))
}

/** A file that cannot even be loaded says nothing about its tests. */
function read({ testResults }: z.infer<typeof Report>): Run {
  const unloaded = testResults.find(({ assertionResults }) => assertionResults.length === 0)
  if (unloaded) throw new NotRun(`a test file is not loaded: ${unloaded.message}`)
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
