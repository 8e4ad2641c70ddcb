import type { AgentNames } from '../../document/agents/agent-edits.ts'
import { Field } from '../kit/forms.tsx'

interface NameFieldsProps {
  readonly names: AgentNames
  /** The environments to choose from. */
  readonly environments: readonly string[]
}

/** The fields for resources, and for environments of the configuration. */
export function NameFields({ names, environments }: NameFieldsProps) {
  return (
    <div class="name-fields">
      <Field
        label="Resources, separated by commas"
        id="resources"
        name="resources"
        value={names.resources.join(', ')}
        placeholder="linux, docker"
      />
      {environments.length > 0 && (
        <fieldset>
          <legend>Environments</legend>
          {environments.map((name) => (
            <label class="check">
              <input
                type="checkbox"
                name="environments"
                value={name}
                checked={names.environments.includes(name)}
              />{' '}
              {name}
            </label>
          ))}
        </fieldset>
      )}
    </div>
  )
}
