{{- define "kuport.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 57 | trimSuffix "-" -}}
{{- end -}}

{{- /* The prefix of all names: the release's, with the chart's added where it isn't part of it. */ -}}
{{- define "kuport.fullname" -}}
{{- $name := include "kuport.name" . -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 57 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 57 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "kuport.agent" -}}
{{- include "kuport.fullname" . }}-agent
{{- end -}}

{{- define "kuport.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "kuport.agent" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "kuport.selectorLabels" -}}
app.kubernetes.io/name: {{ include "kuport.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "kuport.labels" -}}
{{ include "kuport.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
{{- end -}}

{{- define "kuport.image" -}}
{{- .Values.image.repository }}:{{ default (printf "v%s" .Chart.AppVersion) .Values.image.tag }}
{{- with .Values.image.digest }}@{{ . }}{{ end -}}
{{- end -}}

{{- define "kuport.iptables" -}}
{{- with .Values.podAnnotations -}}
{{- if or .removeIptables (and .enabled (eq .firewallFlavor "iptables")) -}}yes{{- end -}}
{{- end -}}
{{- end -}}
