import { join, resolve } from 'node:path'
import type { History } from '../history/history.ts'
import { webhookCall } from '../notify/webhooks/webhook-call.ts'
import type { BootContext } from './boot-context.ts'
import { Mirror } from '../notify/mirror/mirror.ts'
import { readWebhooksFile } from '../notify/webhooks/webhook-settings.ts'
import { Webhooks } from '../notify/webhooks/webhooks.ts'
import type { StateStore } from '../state/state-store.ts'
import { VERSION } from './version.ts'

interface Followed {
  readonly history: History
  readonly store: StateStore
  readonly repository: string
}

/** Who is told of every revision outside this service: the receivers of webhooks, and a mirror. */
export async function openFollowers(opening: BootContext, followed: Followed) {
  return {
    webhooks: await openWebhooks(opening, followed),
    mirror: openMirror(opening, followed),
  }
}

async function openWebhooks(opening: BootContext, { history, store }: Followed): Promise<Webhooks> {
  const { settings, environment: surroundings, resources, stateDir } = opening
  const { clock } = surroundings
  const file = resolve(settings['webhooks-file'] ?? join(stateDir, 'webhooks.json'))
  const call = webhookCall({ clock, clientNames: settings['client-names'], version: VERSION })
  const receivers = await readWebhooksFile(file)
  return resources.own(await Webhooks.open(receivers, { ...surroundings, history, store, call }))
}

function openMirror(opening: BootContext, { history, repository }: Followed): Mirror | null {
  const { settings, environment: surroundings, resources } = opening
  const { toolEnvironment: environment, clock, log } = surroundings
  const { mirror: url } = settings
  if (url === null) return null
  return resources.own(new Mirror({ url, repository, history, environment, clock, log }))
}
