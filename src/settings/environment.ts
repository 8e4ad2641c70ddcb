import { isOfRepository } from '../core/git-settings.ts'

/** The variables that a process was started with. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>

/** The variables of this process. */
export function ownEnvironment(): EnvironmentVariables {
  return process.env
}

/**
 * Takes the variables with these names out of the environment of this process, and returns them.
 */
export function takeVariables(names: readonly string[]): EnvironmentVariables {
  const environment = { ...process.env }
  for (const name of names) delete process.env[name]
  return environment
}

/**
 * Whether a variable is the address of a service: Kubernetes and the links of Docker give each container
 * `NAME_PORT=tcp://10.0.0.7:80` for a service of that name, and so a `CAIRN_PORT` where it is called `cairn`.
 */
export function isServiceLink(name: string, value: string): boolean {
  return name.endsWith('_PORT') && /^(tcp|udp|sctp):\/\//.test(value)
}

/** Where git keeps the objects of a push that is not accepted yet, from the environment of its hooks. */
export function gitQuarantine(): Record<string, string> {
  const names = ['GIT_OBJECT_DIRECTORY', 'GIT_ALTERNATE_OBJECT_DIRECTORIES', 'GIT_QUARANTINE_PATH']
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

/** The script that npx passes to its shell, where the environment comes from npx. */
export function scriptOfNpx(): string | null {
  if (process.env['npm_command'] !== 'exec') return null
  return process.env['npm_lifecycle_script'] || null
}

/** Whether output on a terminal may have colours: `NO_COLOR` and simple terminals turn them off. */
export function mayColour(): boolean {
  return (process.env['NO_COLOR'] ?? '') === '' && process.env['TERM'] !== 'dumb'
}

/** The program that shows long output on a terminal; empty turns it off. */
export function pagerCommand(): string {
  return process.env['PAGER'] ?? 'less'
}

/** The environment of that program, in which `less` ends on short output and lets colours through. */
export function pagerEnvironment(): EnvironmentVariables {
  return { LESS: 'FRX', ...toolEnvironment() }
}

/** The search path of programs such as git. */
export function programPath(): string | undefined {
  return process.env['PATH']
}

/**
 * The variables of the service for the programs that it runs, without its own settings, and without a repository of
 * somebody else.
 */
export function toolEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined || name.startsWith('CAIRN_') || isOfRepository(name)
        ? []
        : [[name, value]],
    ),
  )
}
