import { HealthBody } from '../../../src/wire/health-body.ts'
import { ProtocolAgent } from '../agents/protocol-agent.ts'
import { BuildScene } from '../builds/build-service.ts'
import { type AnElement, element } from '../documents/a-configuration.ts'
import { sendForm } from '../pages/page-forms.ts'
import type { MailReceiver } from './mail-receiver.ts'
import type { CalledService } from './service.ts'

export const MANUAL_STAGE = [{ name: 'build', approval: element('approval', { type: 'manual' }) }]
export const MINUTE_MS = 60_000

/** A server element with a mail server, and security where it is asked for. */
export function mailServerElement(
  { port }: Pick<MailReceiver, 'port'>,
  more: Readonly<Record<string, string>> = {},
  children: readonly AnElement[] = [],
): AnElement {
  const mailhost = { hostname: 'localhost', port, tls: 'false', from: 'ci@example.org' }
  const siteUrl = 'https://ci.example.org'
  const host = element('mailhost', { ...mailhost, admin: 'root@example.org', ...more })
  return element('server', { siteUrl }, [...children, host])
}

export type MailFormWishes = Readonly<Record<string, string>>
export const OWN_BREAKAGES: MailFormWishes = { own: '1', breaks: '1', fixed: '1', fails: '1' }

export async function subscribeByForm(
  service: Pick<CalledService, 'fetch'>,
  wishes: MailFormWishes,
  as?: string,
): Promise<void> {
  const address = `${as ?? 'admin'}@example.org`
  const answer = await sendForm(service, '/account/mail', { address, ...wishes }, as)
  if (answer.status !== 303) throw new Error(await answer.text())
}

export async function runWith(
  scene: BuildScene,
  agent: ProtocolAgent,
  result: 'Passed' | 'Failed',
) {
  await scene.schedule()
  await agent.finish(await agent.work(), result)
}

export async function mailProblemsOf(
  service: Pick<CalledService, 'fetch'>,
): Promise<readonly string[]> {
  const { problems } = HealthBody.parse(await (await service.fetch('/health')).json())
  return problems.map(({ subject }) => subject).filter((subject) => subject.startsWith('Mail'))
}

/** One pipeline that everybody may operate, and an agent that runs it. */
export async function mailScene(receiver: MailReceiver, clock: () => number = Date.now) {
  const scene = await BuildScene.open(
    { server: mailServerElement(receiver), pipelines: [{ name: 'app', stages: MANUAL_STAGE }] },
    [],
    clock,
  )
  return { scene, agent: await ProtocolAgent.join(scene.service, 'a1') }
}
