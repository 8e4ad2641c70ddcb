import { openProcessLock } from '../../../src/storage/process-lock.ts'

/** Takes the lock named on the command line once told to, and says on standard output how it went. */
const [file = ''] = process.argv.slice(2)
process.stdout.write('ready\n')
process.stdin.once('data', () => {
  openProcessLock(file).then(
    () => process.stdout.write('held\n'),
    (error: unknown) => {
      process.stdout.write(error instanceof Error ? `refused ${error.message}\n` : 'broken\n')
    },
  )
})
process.stdin.once('end', () => process.exit(0))
