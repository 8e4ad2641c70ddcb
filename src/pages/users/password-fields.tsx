import type { NewCredentials } from '../../identities/administer-users.ts'
import { Field } from '../kit/forms.tsx'
import { ShownOnce } from '../kit/notice.tsx'
import type { FieldProblems } from '../runs/refusal.ts'

/** A new password, twice. An empty one is generated. */
export function PasswordFields({ problems }: { problems: FieldProblems }) {
  return (
    <>
      <Field
        label="Password (leave empty to generate one)"
        type="password"
        name="password"
        autocomplete="new-password"
        problem={problems.get('password')}
      />
      <RepeatedPassword problems={problems} />
    </>
  )
}

interface RepeatedPasswordProps {
  readonly problems: FieldProblems
  readonly isRequired?: boolean
}

export function RepeatedPassword({ problems, isRequired = false }: RepeatedPasswordProps) {
  return (
    <Field
      label="Repeat password"
      type="password"
      name="again"
      autocomplete="new-password"
      required={isRequired}
      problem={problems.get('again')}
    />
  )
}

/** The result of an action, with the password that was generated. */
export function MadePassword({ made, done }: { made: NewCredentials; done: string }) {
  const about = 'Copy the password now: it is not shown again.'
  return <ShownOnce done={done} about={about} secret={made.password} />
}
