import type { JobContext } from './job-context.ts'

/**
 * Runs a command in the working folder with the permissions of the job's user, never with those of
 * the agent: the job's processes can create links at any time.
 *
 * @throws when it fails.
 */
export async function runAsUser(
  { processes, console, folder }: JobContext,
  [script, path]: readonly [script: string, path: string],
  input: string | { readonly file: string } = '',
): Promise<void> {
  const environment = { PATH: '/usr/local/bin:/usr/bin:/bin' }
  const line = { command: 'sh', args: ['-c', script, 'sh', path], cwd: folder, environment, input }
  const { exitCode } = await processes.run(line, console.output)
  console.endCommand()
  if (exitCode !== 0) throw new Error(`${path} cannot be written`)
}
