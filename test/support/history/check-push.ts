import { text } from 'node:stream/consumers'
import { checkPush } from '../../../src/history/push/push-check.ts'
import { inspect } from './history-folder.ts'

/** Runs as a `pre-receive` hook in tests: `check-push.ts REPOSITORY`. */
const [repository = '', programPath] = process.argv.slice(2)
const names = ['GIT_OBJECT_DIRECTORY', 'GIT_ALTERNATE_OBJECT_DIRECTORIES']
const given = names.flatMap((name) => {
  const value = process.env[name]
  return value === undefined ? [] : [[name, value] as const]
})
const quarantine = Object.fromEntries(given)
const otherRefs = 'accept'
const options = {
  repository,
  fileName: 'config.xml',
  inspect,
  programPath,
  quarantine,
  otherRefs,
} as const
const { isAccepted, lines } = await checkPush(options, await text(process.stdin))
for (const line of lines) process.stderr.write(`${line}\n`)
process.exitCode = isAccepted ? 0 : 1
