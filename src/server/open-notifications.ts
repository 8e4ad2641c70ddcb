import { join, resolve } from 'node:path'
import type { History } from '../history/history.ts'
import { webhookCall } from '../notify/webhooks/webhook-call.ts'
import type { NewAuditEntry } from '../core/service/audit.ts'
import { Audit } from '../notify/audit/audit.ts'
import { CommandEntries, commandEntriesIn } from '../notify/audit/command-entries.ts'
import { moveFormerFiles } from '../notify/audit/former-files.ts'
import type { BootContext } from './boot-context.ts'
import { Mirror } from '../notify/mirror/mirror.ts'
import { MailDigests, type MailDigestsOptions } from '../notify/mail/mail-digests.ts'
import type { EventLog } from '../notify/events/event-log.ts'
import { readWebhooksFile } from '../notify/webhooks/webhook-settings.ts'
import { Webhooks } from '../notify/webhooks/webhooks.ts'
import type { StateStore } from '../state/state-store.ts'
import { readCertificates } from './named-file.ts'
import { VERSION } from './version.ts'

const AUDIT_TAKEN_IN = 'The audit log of an earlier version was taken into the state'

/** The receivers of revisions and other events. */
export async function openWebhooks(
  { settings, environment, shutdown, places: { stateDir } }: BootContext,
  deps: { readonly history: History; readonly store: StateStore; readonly events: EventLog },
): Promise<Webhooks> {
  const { clock } = environment
  const file = resolve(settings['webhooks-file'] ?? join(stateDir, 'webhooks.json'))
  const call = webhookCall({ clock, version: VERSION })
  const receivers = await readWebhooksFile(file)
  const clientNames = settings['client-names']
  const webhooks = await Webhooks.open(receivers, { ...environment, ...deps, call, clientNames })
  return shutdown.own('stop-background-work', webhooks)
}

/** Mail by the mail server that the configuration names. */
export async function openMailDigests(
  { settings, environment: { clock, log }, shutdown }: BootContext,
  options: Omit<MailDigestsOptions, 'ca' | 'clock' | 'log'>,
): Promise<MailDigests> {
  const ca = await readCertificates(settings['mail-ca-file'])
  const mail = await MailDigests.open({ ...options, ca, clock, log })
  return shutdown.own('stop-background-work', mail)
}

/** Another repository that every revision is pushed to, where one is named. */
export function openMirror(
  { settings, environment: { toolEnvironment, clock, log }, shutdown }: BootContext,
  { history, repository }: { readonly history: History; readonly repository: string },
): Mirror | null {
  const { mirror: url } = settings
  if (url === null) return null
  const options = { url, repository, history, environment: toolEnvironment, clock, log }
  return shutdown.own('stop-background-work', new Mirror(options))
}

/** The audit log, with the entries that commands have left for it. */
export async function openAudit(boot: BootContext, state: StateStore): Promise<Audit> {
  const { settings, environment, shutdown, places, cluster } = boot
  const { clock, log } = environment
  const options = { maxSize: settings['max-audit'], clock, log }
  const store = cluster?.openAudit(options) ?? state.auditLog(options)
  const entries =
    cluster === null ? await moveFormerFiles(join(places.stateDir, 'audit'), store) : 0
  if (entries > 0) log({ level: 'info', message: AUDIT_TAKEN_IN, facts: { entries } })
  const leave = (entry: NewAuditEntry) => waiting.leave(entry)
  const audit = shutdown.own('close-engines', new Audit({ store, leave, clock, log }))
  const keep = (entry: NewAuditEntry) => audit.keep(entry)
  const folder = commandEntriesIn(places.stateDir)
  const waiting = new CommandEntries({ folder, keep, clock, log })
  shutdown.own('stop-background-work', waiting)
  return audit
}
