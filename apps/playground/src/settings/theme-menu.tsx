import { Check, Monitor, Moon, Sun } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import { usePlayground, type ThemeChoice } from '../state/store.ts';
import { Button } from '../ui/button.tsx';
import { menuContent, menuItem } from '../ui/menu/menu-style.ts';
import { Tip } from '../ui/tip.tsx';

const choices = [
  { value: 'system', label: 'System', Icon: Monitor },
  { value: 'dark', label: 'Dark', Icon: Moon },
  { value: 'light', label: 'Light', Icon: Sun },
] as const;

export function ThemeMenu() {
  const theme = usePlayground((state) => state.theme);
  const { Icon } = choices.find(({ value }) => value === theme) ?? choices[0];
  return (
    <DropdownMenu.Root modal={false}>
      <Tip text={`Theme: ${theme}`}>
        <DropdownMenu.Trigger asChild>
          <Button square aria-label={`Theme: ${theme}`}>
            <Icon />
          </Button>
        </DropdownMenu.Trigger>
      </Tip>
      <DropdownMenu.Content align="end" sideOffset={6} collisionPadding={8} className={`${menuContent} w-36`}>
        <DropdownMenu.RadioGroup
          value={theme}
          onValueChange={(value) => usePlayground.setState({ theme: value as ThemeChoice })}
        >
          {choices.map(({ value, label, Icon: ChoiceIcon }) => (
            <DropdownMenu.RadioItem key={value} value={value} className={menuItem}>
              <ChoiceIcon />
              <span className="flex-1">{label}</span>
              <DropdownMenu.ItemIndicator>
                <Check />
              </DropdownMenu.ItemIndicator>
            </DropdownMenu.RadioItem>
          ))}
        </DropdownMenu.RadioGroup>
      </DropdownMenu.Content>
    </DropdownMenu.Root>
  );
}
