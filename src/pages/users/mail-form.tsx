import { type MailWishes, PIPELINE_NEWS, type PipelineNews } from '../../core/mail-wishes.ts'
import { ActionForm, Field } from '../kit/forms.tsx'

const NEWS: Readonly<Record<PipelineNews, string>> = {
  breaks: 'A stage breaks: it fails after it passed',
  fixed: 'A stage is fixed: it passes after it failed',
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
}

/** The news that the caller wants by mail. */
export function MailForm({ action, wishes, sendsMail }: MailFormProps) {
  const { address, news, own, pipelines, entities, proposals } = wishes
  return (
    <ActionForm
      action={action}
      title="News by mail"
      about={
        sendsMail
          ? 'At most one mail a minute, about what you may see then. Without an address, no mail is sent.'
          : 'No mail is sent: the configuration of this server has no mailhost.'
      }
      buttons={<button class="primary">Save</button>}
    >
      <Field
        label="Address"
        type="email"
        name="address"
        value={address}
        maxlength={254}
        autocomplete="email"
        placeholder="kim@example.org"
      />
      <fieldset class="fields">
        <legend>About</legend>
        <Choice
          name="own"
          label="My own pipelines: those that their groups let me operate"
          isChecked={own}
        />
        <Names
          label="Further pipelines and stages, one a line"
          name="pipelines"
          names={pipelines}
        />
      </fieldset>
      <fieldset class="fields">
        <legend>When</legend>
        {PIPELINE_NEWS.map((each) => (
          <Choice name={each} label={NEWS[each]} isChecked={news.includes(each)} />
        ))}
      </fieldset>
      <fieldset class="fields">
        <legend>Besides</legend>
        <Choice
          name="proposals"
          label="Proposals that wait for my approval"
          isChecked={proposals}
        />
        <Names
          label="Changes of these entities, one a line"
          name="entities"
          names={entities}
          placeholder="group/services"
        />
      </fieldset>
    </ActionForm>
  )
}

function Choice({ name, label, isChecked }: { name: string; label: string; isChecked: boolean }) {
  return (
    <label class="check">
      <input type="checkbox" name={name} value="1" checked={isChecked} /> {label}
    </label>
  )
}

interface NamesProps {
  readonly label: string
  readonly name: string
  readonly names: readonly string[]
  readonly placeholder?: string
}

function Names({ label, name, names, placeholder = 'checkout/build' }: NamesProps) {
  return (
    <label class="field">
      {label}
      <textarea name={name} rows={2} placeholder={placeholder}>
        {names.join('\n')}
      </textarea>
    </label>
  )
}
