import type { WebhookDelivery } from '../../notify/webhooks/delivery-log.ts'
import type { WebhookState } from '../../notify/webhooks/webhook.ts'
import { countOf } from '../kit/words/count.ts'
import { type OpenPageWithMessage, PageLayout } from '../kit/layout.tsx'
import type { Links } from '../kit/links.ts'
import { EmptyCard, FlashCard } from '../kit/notice.tsx'
import { PageHead } from '../kit/page-head.tsx'
import { Table } from '../kit/table.tsx'
import { Moment } from '../kit/when.tsx'

interface Receiver {
  readonly state: WebhookState
  readonly deliveries: readonly WebhookDelivery[]
}

interface WebhooksViewProps extends OpenPageWithMessage {
  readonly receivers: readonly Receiver[]
}

/** The receivers of events, each with its newest deliveries. */
export function WebhooksView({ frame, flash, receivers }: WebhooksViewProps) {
  return (
    <PageLayout
      frame={frame}
      title="Webhooks"
      description="The latest deliveries to each receiver, with its responses."
      concerns={['webhook']}
    >
      {flash && <FlashCard flash={flash} />}
      <PageHead
        title="Webhooks"
        about="Receivers are configured in the webhooks file of the server."
      />
      {receivers.length === 0 && (
        <EmptyCard title="No receivers yet">
          {'Name the receivers of changes and runs in the webhooks file ('}
          <code>--webhooks-file</code>
          {'). Their deliveries appear here.'}
        </EmptyCard>
      )}
      {receivers.map((receiver) => (
        <ReceiverPart links={frame.links} receiver={receiver} />
      ))}
    </PageLayout>
  )
}

const COLUMNS = [
  { label: 'Delivery', isHead: true, isPlain: true },
  'Event',
  'About',
  'Time',
  'Attempts',
  'Answer',
  { label: 'Actions', isPlain: true },
]

function ReceiverPart({ links, receiver }: { links: Links; receiver: Receiver }) {
  const { state, deliveries } = receiver
  const rows = deliveries.map((delivery) => ({
    cells: [
      delivery.number,
      delivery.event,
      delivery.subject,
      <Moment time={delivery.answered} />,
      delivery.attempts,
      <Answer delivery={delivery} />,
      <SendAgain links={links} delivery={delivery} />,
    ],
  }))
  const behind = state.behind === null ? '' : `, ${countOf(state.behind, 'revision')} behind`
  return (
    <section aria-label={`Receiver ${state.name}`}>
      <h2>{state.name}</h2>
      <p>{`${state.lastError === null ? 'It accepts deliveries' : `The next delivery failed: ${state.lastError}`}${behind}.`}</p>
      {rows.length > 0 && (
        <Table label={`Deliveries to ${state.name}`} columns={COLUMNS} rows={rows} />
      )}
    </section>
  )
}

function Answer({ delivery: { status, answer, problem, sentBy } }: { delivery: WebhookDelivery }) {
  const words = problem ?? `${status}`
  return (
    <>
      {words}
      {sentBy !== null && `, sent again by ${sentBy}`}
      {answer !== '' && <pre class="output">{answer}</pre>}
    </>
  )
}

function SendAgain({ links, delivery }: { links: Links; delivery: WebhookDelivery }) {
  const { webhook, number } = delivery
  return (
    <form method="post" action={links.webhooks()}>
      <input type="hidden" name="webhook" value={webhook} />
      <input type="hidden" name="number" value={`${number}`} />
      <button class="quiet" aria-label={`Send again delivery ${number} to ${webhook}`}>
        Send again
      </button>
    </form>
  )
}
