import { setTimeout as wait } from 'node:timers/promises'
import { builtFile } from '../lib/built-file.ts'
import { WorkerThreads } from '../lib/worker-thread.ts'
import { inBackground } from '../lib/in-background.ts'
import type { BootContext } from './boot-context.ts'
import { CredentialCheck } from '../security/credentials.ts'
import { isPasswordOf, type PasswordCheck } from '../security/password.ts'
import {
  type IssuedToUsers,
  revokeAllOf,
  type UserAccounts,
} from '../identities/administer-users.ts'
import type { Principal, ExternalSource } from '../core/principal.ts'
import { DepartedUsers } from '../identities/departed-users.ts'
import { isDisabledElsewhere, listDisabledElsewhere } from '../identities/disabled-users.ts'
import { Invitations } from '../identities/invitations.ts'
import type { OwnedRecordsOptions } from '../identities/owned-records.ts'
import { MailSubscriptions } from '../identities/mail-subscriptions.ts'
import { StoredUsers } from '../identities/stored-users.ts'
import type { UserSourceState } from '../core/service/user-source-state.ts'
import { Sessions } from '../identities/sessions.ts'
import { Tokens } from '../identities/tokens.ts'
import type { UsersStore } from '../security/users.ts'
import type { OidcLogIn, OidcLogInOptions } from '../identities/oidc/oidc-log-in.ts'
import { UsersWatch } from '../security/users-watch.ts'
import { ConfiguredAccess } from '../configuration/access/access.ts'
import type { StateStore } from '../state/state-store.ts'
import type { CurrentConfiguration } from '../configuration/current/current-configuration.ts'
import { unavailable } from '../core/errors.ts'
import type { LdapDirectory } from '../identities/ldap/ldap-directory.ts'
import { readCertificates, readSecretFile } from './named-file.ts'

/** How often the users are looked at where no change of them can be watched, in milliseconds. */
const USERS_POLL_INTERVAL_MS = 500

/** Up to this cost a comparison takes less than the start of a thread. */
const CHEAP = 6
/** Passwords that are compared at once, and the milliseconds after which one is given up. */
const PASSWORD_THREADS = 2
const COMPARISON_TIMEOUT_MS = 60_000

const EVERYONE_ADMINISTERS =
  'Every user is an administrator, because the configuration lists no administrators'

const STRANGERS_ADMINISTER =
  'Every user of the directory and the OpenID Connect provider is an administrator, because the configuration lists no administrators'

const NOT_REVOKED = 'The tokens of users who are gone could not be revoked'

const UNUSED_LINE = 'A line of the users file is not used'

export interface OpenedAccess extends IssuedToUsers {
  readonly credentials: CredentialCheck
  /** Null where people log in with passwords alone. */
  readonly oidc: OidcLogIn | null
  readonly accounts: UserAccounts
  readonly sourcesElsewhere: readonly ExternalSource[]
  readonly access: ConfiguredAccess
  /** Whether directory and provider were there at the last log-in. */
  readonly userSources: () => readonly UserSourceState[]
  /** Why the local users cannot be read now, as a sentence; null when they can. */
  readonly usersProblem: () => string | null
  /** Logs what an operator should know of who may log in and do what. */
  readonly reportLogin: () => void
}

/** Opens authentication and permissions, by the present users file and configuration. */
export async function openAccess(
  boot: BootContext,
  options: {
    readonly users: UsersStore
    readonly configuration: CurrentConfiguration
    readonly store: StateStore
    /** Seals what browsers keep of a log-in. */
    readonly key: Uint8Array
  },
): Promise<OpenedAccess> {
  const { environment, shutdown, cluster } = boot
  const { clock, log, passwordCost: cost } = environment
  const { users: usersStore, configuration, store, key } = options
  const changed = () => {
    credentials.forget()
    access.forget()
    inBackground(log, NOT_REVOKED, departed.look())
  }
  const users = shutdown.own(
    'stop-background-work',
    await UsersWatch.open({
      store: usersStore,
      stampOfOthers: async () => JSON.stringify(await listDisabledElsewhere(store)),
      interval: USERS_POLL_INTERVAL_MS,
      changed,
    }),
  )
  const threads = shutdown.own('stop-background-work', new PasswordThreads())
  const compare = (check: PasswordCheck) => threads.compare(check)
  const issued = issuedIn({
    store,
    users: () => users.read(),
    clock,
    log,
    ended: () => credentials.forgetIssued(),
  })
  const { tokens, sessions } = issued
  const directory = await openLdap(boot)
  const letIn = (found: Promise<Principal | null>) => letInFromElsewhere(store, issued, found)
  const credentials = new CredentialCheck({
    users: () => users.read(),
    refreshUsers: () => users.refresh(),
    findExternal: directory ? (login) => letIn(directory.find(login)) : undefined,
    isDisabled: (principal) => isDisabledElsewhere(store, principal),
    clock,
    wait,
    compare,
    cost,
    find: ({ kind, secret, username }) =>
      kind === 'session' ? sessions.find(secret) : tokens.find(secret, username),
  })
  const departed = new DepartedUsers({
    users: () => users.read(),
    revoke: (isGone) => revokeAllOf(issued, isGone),
    endSessions: (isDisabled) => sessions.endOfAll(isDisabled),
  })
  await departed.begin(cluster === null || usersStore instanceof StoredUsers)
  const access = new ConfiguredAccess({
    configuration,
    usernames: () => users.names(),
    knowsEveryone: () => directory === null && oidc === null,
  })
  const oidc = await openOidc(boot, { users: () => users.read(), letIn, key })
  const { problems } = await users.read()
  return {
    ...issued,
    credentials,
    oidc,
    sourcesElsewhere: [
      ...(directory === null ? [] : ['ldap' as const]),
      ...(oidc === null ? [] : ['oidc' as const]),
    ],
    accounts: {
      store: usersStore,
      read: () => users.read(),
      reload: () => users.reload(),
      holderOf: ({ username, password }, address) =>
        credentials.check(
          `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
          address,
        ),
      cost,
    },
    access,
    userSources: () => [directory, oidc].flatMap((source) => source?.state() ?? []),
    usersProblem: () => users.problem(),
    reportLogin: () => {
      if (access.everyoneAdministers) {
        const hasOthers = oidc !== null || directory !== null
        if (hasOthers) log({ level: 'warning', message: STRANGERS_ADMINISTER })
        else log({ level: 'info', message: EVERYONE_ADMINISTERS })
      }
      for (const facts of problems)
        log({ level: 'warning', message: UNUSED_LINE, facts: { ...facts } })
    },
  }
}

function issuedIn(options: OwnedRecordsOptions): IssuedToUsers {
  const [tokens, sessions] = [new Tokens(options), new Sessions(options)]
  // Ending an invitation or a subscription ends no credential.
  const others = { ...options, ended: () => {} }
  const invitations = new Invitations({ ...others, tokens })
  return { tokens, sessions, invitations, subscriptions: new MailSubscriptions(others) }
}

/** A user of elsewhere who is not disabled; what was issued to the user gets the roles of the answer. */
async function letInFromElsewhere(
  store: StateStore,
  { tokens, sessions, subscriptions }: IssuedToUsers,
  found: Promise<Principal | null>,
): Promise<Principal | null> {
  const principal = await found
  if (principal === null || (await isDisabledElsewhere(store, principal))) return null
  await tokens.vouch(principal)
  await sessions.vouch(principal)
  await subscriptions.vouch(principal)
  return principal
}

/**
 * Compares passwords in threads of their own: they take long on purpose, and the pool of threads
 * that everything else shares is needed for files.
 */
class PasswordThreads implements AsyncDisposable {
  readonly #threads = new WorkerThreads<PasswordCheck, boolean>(
    PASSWORD_THREADS,
    builtFile('security/password-worker.js'),
    COMPARISON_TIMEOUT_MS,
  )

  async compare(check: PasswordCheck): Promise<boolean> {
    if (check.cost <= CHEAP) return isPasswordOf(check)
    return (await this.#threads.run(check, [])) ?? false
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#threads[Symbol.asyncDispose]()
  }
}

/**
 * The directory that has users; null where the settings name none, so that its package is not loaded.
 * Nothing is asked of it yet.
 */
async function openLdap({
  settings,
  environment: { clock, log },
}: BootContext): Promise<LdapDirectory | null> {
  const { 'ldap-url': urls, 'ldap-user-base': base, 'ldap-user-filter': filter } = settings
  if (urls.length === 0 || base === null) return null
  const { filterProblem, nameAttribute } = await import('../identities/ldap/ldap-filter.ts')
  const attribute = nameAttribute(filter)
  if (attribute === null) return null
  const problem = filterProblem(filter)
  if (problem !== null) throw unavailable(`--ldap-user-filter cannot be read: ${problem}`)
  const ca = await readCertificates(settings['ldap-ca-file'])
  const startTls = settings['ldap-start-tls']
  const [dn, file] = [settings['ldap-bind-dn'], settings['ldap-bind-password-file']]
  const ldap = await import('../identities/ldap/ldap-directory.ts')
  return new ldap.LdapDirectory({
    servers: urls.map((url) => ({ url, startTls, ca })),
    reader: dn === null || file === null ? null : { dn, password: await readSecretFile(file) },
    users: { base, filter, attribute },
    groupBase: settings['ldap-group-base'],
    clock,
    log,
  })
}

/**
 * The log-in by OpenID Connect; null where the settings name no provider, so that its packages are not
 * loaded. Nothing is asked of it yet.
 */
async function openOidc(
  { settings, environment: { clock, log } }: BootContext,
  { users, letIn, key }: Pick<OidcLogInOptions, 'users' | 'letIn' | 'key'>,
): Promise<OidcLogIn | null> {
  const { 'oidc-issuer': issuer, 'oidc-client-id': clientId, 'public-url': publicUrl } = settings
  if (issuer === null || clientId === null || publicUrl === null) return null
  const file = settings['oidc-client-secret-file']
  const oidc = await import('../identities/oidc/oidc-log-in.ts')
  return new oidc.OidcLogIn({
    issuer,
    clientId,
    clientSecret: file === null ? null : await readSecretFile(file),
    claims: { username: settings['oidc-username-claim'], roles: settings['oidc-roles-claim'] },
    callback: `${new URL(publicUrl).origin}${settings['base-path']}/login/oidc/callback`,
    key,
    users,
    letIn,
    clock,
    log,
  })
}
