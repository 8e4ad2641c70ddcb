import {
  type MailWishes,
  PIPELINE_NEWS,
  type PipelineNews,
} from '../../core/service/mail-wishes.ts'
import { ActionForm, CheckBox, Field, ProblemAtField, refusedAs } from '../kit/forms.tsx'
import type { FieldProblems } from '../runs/refusal.ts'

const NEWS: Readonly<Record<PipelineNews, string>> = {
  breaks: 'A stage breaks (fails after passing)',
  fixed: 'A stage is fixed (passes after failing)',
  fails: 'A stage fails',
  passes: 'A stage passes',
  cancelled: 'A stage is cancelled',
  changed: 'The configuration of a pipeline that I administer changes',
}

interface MailFormProps {
  readonly action: string
  readonly wishes: MailWishes
  /** Whether the configuration names a mail server. */
  readonly sendsMail: boolean
  /** The days without a login after which nothing is sent; null for users of this service. */
  readonly pausedAfterDays: number | null
  readonly problems: FieldProblems
}

/** The notifications that the caller gets by mail. */
export function MailForm(props: MailFormProps) {
  const { action, wishes, sendsMail, pausedAfterDays, problems } = props
  const { address, news, own, pipelines, entities, proposals } = wishes
  const pause =
    pausedAfterDays === null
      ? ''
      : ` They pause when you have not logged in for ${pausedAfterDays} days.`
  const about =
    address === ''
      ? 'None are sent: enter an address to get them.'
      : `At most one message a minute, about what you have access to. Clear the address to stop them.${pause}`
  return (
    <ActionForm
      action={action}
      title="Email notifications"
      about={sendsMail ? about : 'No mail is sent: the configuration names no mail server.'}
      buttons={<button>Save</button>}
    >
      <Field
        label="Address"
        type="email"
        name="address"
        value={address}
        maxlength={254}
        autocomplete="email"
        placeholder="kim@example.org"
        problem={problems.get('address')}
      />
      <fieldset class="fields">
        <legend>About</legend>
        <CheckBox
          name="own"
          label="My pipelines: those in groups that I can operate"
          isChecked={own}
        />
        <Names
          label="Other pipelines and stages, one per line"
          name="pipelines"
          names={pipelines}
          problem={problems.get('pipelines')}
        />
      </fieldset>
      <fieldset class="fields">
        <legend>When</legend>
        {PIPELINE_NEWS.map((each) => (
          <CheckBox name={each} label={NEWS[each]} isChecked={news.includes(each)} />
        ))}
      </fieldset>
      <fieldset class="fields">
        <legend>Also</legend>
        <CheckBox
          name="proposals"
          label="Proposals waiting for my approval"
          isChecked={proposals}
        />
        <Names
          label="Changes to these entities, one per line"
          name="entities"
          names={entities}
          problem={problems.get('entities') ?? problems.get('entity')}
          placeholder="group/services"
        />
      </fieldset>
    </ActionForm>
  )
}

interface NamesProps {
  readonly label: string
  readonly name: string
  readonly names: readonly string[]
  readonly placeholder?: string
  readonly problem: string | undefined
}

function Names({ label, name, names, placeholder = 'checkout/build', problem }: NamesProps) {
  return (
    <label class="field">
      {label}
      <textarea name={name} rows={2} placeholder={placeholder} {...refusedAs(name, problem)}>
        {names.join('\n')}
      </textarea>
      <ProblemAtField name={name} problem={problem} />
    </label>
  )
}
